/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The few questions that actions, and the supervisor that joins them, ask about a living process. */
#ifndef EXECTRACE_PICK_ACTION_PROCESS_H
#define EXECTRACE_PICK_ACTION_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Its parent, 0 when it is gone. */
pid_t process_parent(pid_t pid);

/* Who traces it: 0 for nobody, or when it is gone. */
pid_t process_tracer(pid_t pid);

/* The process a thread belongs to, 0 when it is gone. */
pid_t process_group(pid_t tid);

/* Bytes that differ from one program image of a thread to the next; false when they cannot be read. */
bool process_image(pid_t tid, unsigned char id[16]);

/* The number of the system call that a thread sleeps or is stopped in; -1: in none. 0 or -errno; -EAGAIN: it runs. */
int process_call(pid_t tid, long *nr);

/* Whether a thread may read a file, as access_read of target/executable/access.h. 0 or -errno. */
int process_read_access(pid_t tid, const char *path);

/* Whether it may make a file there, as access_create. 0 or -errno. */
int process_create_access(pid_t tid, const char *path);

/* True when the thread is the first of its process (tgkill(2) knows, without a look at /proc). */
bool process_leads(pid_t tid);

/* True when sig may have reached a process that waits for signals (sigwaitinfo(2)) and which it has not yet told of: it
 * is pending, or the process is not asleep. */
bool process_has_signal(pid_t pid, int sig);

/* True when sig waits for a process, which blocks it or is stopped. */
bool process_pends(pid_t pid, int sig);

/* True when a process has a handler for sig. */
bool process_catches(pid_t pid, int sig);

/*
 * True when a process was stopped by SIGSTOP, or will be, at an address: one that has not begun is stopped there by
 * who attached to it (PTRACE_ATTACH, ptrace(2)).
 */
bool process_is_left_at(pid_t pid, uint64_t pc);

/* True when it is stopped, by job control or by its tracer. */
bool process_is_stopped(pid_t pid);

/*
 * True when a process that was stopped by job control is not any more, or has ended. One whose stop a tracer left to it
 * (PTRACE_LISTEN, ptrace(2)) stays in its trap until the tracer looks: SIGCONT is pending then.
 */
bool process_was_continued(pid_t pid);

#endif
