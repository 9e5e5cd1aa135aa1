/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The only door to wait(2): every child and every tracee is reaped here, its status decoded once. */
#ifndef EXECTRACE_TARGET_TRACEE_WAIT_H
#define EXECTRACE_TARGET_TRACEE_WAIT_H

#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/types.h>

enum wait_kind {
	WAIT_EXIT,       /* ended: `status` says how; the pid is gone */
	WAIT_SYSCALL,    /* stopped at a system call's entry or exit (PTRACE_SYSCALL) */
	WAIT_EVENT,      /* stopped at a ptrace event other than PTRACE_EVENT_STOP: `event` */
	WAIT_INTERRUPT,  /* stopped because asked to (PTRACE_EVENT_STOP with SIGTRAP): also a new thread's first stop */
	WAIT_GROUP_STOP, /* a tracee in a group-stop by `sig`: let it be with tracee_listen */
	WAIT_SIGNAL,     /* a tracee about to get `sig`, or a child that is not traced and was stopped by it */
};

struct wait_event {
	enum wait_kind kind;
	pid_t pid;
	int status; /* raw, as wait(2) gives it */
	int sig;
	int event; /* PTRACE_EVENT_* */
};

/* The signal that a stopped thread is about to get: to be passed on when it is let go; 0: none. */
static inline int wait_signal(const struct wait_event *ev)
{
	return ev->kind == WAIT_SIGNAL ? ev->sig : 0;
}

/* Whether it is stopped at the event of a thread or process that it has made. */
static inline bool wait_is_maker(const struct wait_event *ev)
{
	return ev->kind == WAIT_EVENT &&
	       (ev->event == PTRACE_EVENT_FORK || ev->event == PTRACE_EVENT_VFORK || ev->event == PTRACE_EVENT_CLONE);
}

/* Decodes a raw status. */
struct wait_event wait_decode(pid_t pid, int status);

/*
 * The next change of any child or tracee of this process. 1 with *ev set; 0 when there is none now; -ECHILD without
 * children. Continuations are not asked for: that a process was continued is told once, and a tracer that takes it
 * takes it from the parent (wait_consider_task, kernel/exit.c).
 */
int wait_next(struct wait_event *ev);

/* Likewise. used: of one that has ended, and the descendants that it and they have waited for. */
int wait_next_used(struct wait_event *ev, struct rusage *used);

/* Like wait_next, of one process. */
int wait_try(pid_t pid, struct wait_event *ev);

/*
 * Adds changes that are there already to the n that a batch holds, up to max. How many it holds then. The kernel tells
 * of the newest threads first (do_wait, kernel/exit.c); if those run on at once, the older ones may never have their
 * turn.
 */
size_t wait_more(struct wait_event *batch, size_t n, size_t max);

/* Waits for the next change of any. 0; -ECHILD without children; -EINTR when a signal came. */
int wait_any(struct wait_event *ev);

/*
 * The same as wait_next or, sleep, wait_any; but a stop for a signal stays to be waited for until the thread is let
 * run: when the tracer is killed meanwhile the signal is delivered, and else it is not (ptrace_stop, kernel/signal.c:
 * the exit code that a wait takes away). 1, 0 when there is none now, or -errno.
 */
int wait_peek(struct wait_event *ev, bool sleep);

/* Likewise of one thread, without sleeping. */
int wait_peek_at(pid_t tid, struct wait_event *ev);

/* Waits for one change of one child or tracee. 0 or -errno (-ECHILD: no longer ours). For kernel-bounded waits only. */
int wait_for(pid_t pid, struct wait_event *ev);

/*
 * Waits for the next event of a tracee that runs. 0 or -errno; -ESRCH: it has ended, and that is told of only when the
 * other threads of its process were waited for.
 */
int wait_for_traced(pid_t pid, struct wait_event *ev);

/*
 * Waits for one stop of one child or tracee in which it goes on as before. Its end, and its stop at an event (of its
 * end, or of another thread's exec, whose number is this one from then on: ptrace(2), "execve(2) under ptrace"), is
 * left to be fetched by wait_next: who waits for all children has to learn of it. 0 or -errno (-ESRCH: that has come;
 * -ECHILD: no longer ours).
 */
int wait_for_stop(pid_t pid, struct wait_event *ev);

/* Waits until one child or tracee has stopped or ended, which stays to be waited for. 0 or -errno (-EINTR: a signal).
 */
int wait_until_changed(pid_t pid);

/* True when pid is still a child or tracee of ours that wait has not reported as ended. */
bool wait_has(pid_t pid);

#endif
