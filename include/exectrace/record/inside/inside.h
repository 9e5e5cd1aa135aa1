/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that are recorded in the process itself, without a stop. Who traces a process by stops (record/stops)
 * asks here at each of its stops what is to be done; a program that has made some calls gets the agent (layout.h), and
 * from then on the calls of its threads come out of rings of memory (inside_drain), but those that the agent does not
 * know: these stop as before.
 *
 * Where a call's instruction is found first by Syscall User Dispatch, a stop; the instruction before it then becomes a
 * jump to a stub, from where the agent makes the call. The `syscall` instruction itself stays where it is: for calls
 * that are made again after a signal, for code that jumps there, and for threads that wait in it.
 *
 * The program does not see it: registers but rcx and r11, its stack and its signals are as without; a signal finds a
 * thread before or behind its call, never in the agent. It runs on unharmed when the tracer is killed at any moment.
 *
 * Only for x86-64, from Linux 6.4 on.
 */
#ifndef EXECTRACE_RECORD_INSIDE_INSIDE_H
#define EXECTRACE_RECORD_INSIDE_INSIDE_H

#include <exectrace/record/inside/counts.h>
#include <exectrace/target/decode/snapshot.h>
#include <exectrace/target/syscalls/filter.h>
#include <exectrace/target/unwind/unwind.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct inside;        /* of a tracer */
struct inside_thread; /* of a thread that it traces */

/* A call in a ring, at its entry or its end. */
struct inside_call {
	bool end;         /* else the entry */
	bool live;        /* the thread is stopped: what is behind the arguments is to be read there */
	uint64_t now;     /* CLOCK_MONOTONIC, ns */
	uint64_t nr;      /* of x86-64 */
	uint64_t args[6]; /* of the entry */
	uint64_t sp;      /* likewise */
	int64_t result;   /* of the end; a negative errno is an error */
	/* Where the thread was, when that is asked for; valid until the call has been taken. NULL: the thread is
	 * stopped there. */
	const struct stack_copy *stack;
};

struct inside_config {
	unsigned string_max;                /* as the decoders have it */
	bool memory;                        /* what is behind arguments is wanted, and what descriptors refer to */
	unsigned calls;                     /* that a program makes before it gets the agent */
	const struct syscall_filter *shown; /* of others the agent tells only what changes descriptors; NULL: all */
	bool stacks;                        /* calls have their stacks, see inside_stack_ends */
	bool failures;          /* when one of those shown fails, its thread is stopped as `call` gets its end */
	enum counting counting; /* calls that the agent sees to their end come together at the end, by `counted` */
	void *user;
	/* Takes what calls of number nr (of x86-64) of a thread took. */
	void (*counted)(void *user, uint32_t nr, const struct call_counts *counts);
	/* Takes a call; thread as in inside_add, memory: what is behind the arguments, if it is not `live`. */
	int (*call)(void *user, void *thread, const struct inside_call *call);
	/* Where the memory of the call is to be put: of inside_add's `thread`. */
	struct snapshot *(*memory_of)(void *thread);
};

/*
 * Runs `run` in a thread that inside_new() can be called in, which then is the one that traces, and waits for it: with
 * the signals of the caller, who gets none meanwhile. What it returns. If there is no such thread, it runs in this one.
 */
int inside_run(int (*run)(void *user), void *user);

/* Whether the kernel can do it. */
bool inside_supported(void);

/* -ENOTSUP: not on this system, *why says so. 0 or -errno. The configuration has to stay. */
int inside_new(const struct inside_config *config, struct inside **inside, const char **why);

/* No thread may be left. */
void inside_free(struct inside *inside);

/*
 * A new thread, made by `maker` (NULL: not known) with these flags of clone(2), is stopped for the first time, or is
 * about to. thread: for `call`. NULL without memory.
 */
struct inside_thread *inside_add(struct inside *inside, pid_t tid, struct inside_thread *maker, uint64_t flags,
                                 void *thread);

/* It is stopped as it was asked to. record: its calls are wanted; else it is left alone for good. */
void inside_start(struct inside_thread *thread, bool record);

/* It has ended, or is to be let go. What was in its ring is gone: drain it before. */
void inside_remove(struct inside_thread *thread);

/* It has another number. */
void inside_rename(struct inside_thread *thread, pid_t tid);

/* Its process has a new program. */
void inside_exec(struct inside_thread *thread);

/*
 * It was killed in calls that it made for us: its end is to be waited for, or another thread's exec with its number. It
 * is not to be touched before.
 */
bool inside_is_gone(const struct inside_thread *thread);

/* True when its next stop is to be anything but a call: else it is to stop at the next entry or end of one. */
bool inside_runs(const struct inside_thread *thread);

/* It is stopped at the entry of a call, with its program counter at pc: args become those that the program has given.
 */
void inside_at_entry(struct inside_thread *thread, uint64_t pc, uint64_t args[6]);

/* It is stopped at the end of a call, of which nobody has looked at anything yet. */
void inside_at_end(struct inside_thread *thread, int64_t result);

/*
 * Likewise, of a call that a signal has ended (EINTR): whether it has put another mask in place of the thread's, which
 * stays until that signal is delivered.
 */
bool inside_waits_for_signal(const struct inside_thread *thread);

/*
 * The same, and everybody has. again: the call will be made again (kerrno.h), or that mask is there. Else perhaps its
 * program gets the agent now. 0, or -ESRCH when it has ended meanwhile.
 */
int inside_ended_call(struct inside_thread *thread, bool again);

/* True, once, for a thread whose program has just got the agent. */
bool inside_is_first(struct inside_thread *thread);

/*
 * With stacks: the outermost frame of the thread's stack is before `end`, so much of it is copied. Until that is known
 * (0), and while a stack is deeper than can be copied, its calls stop.
 */
void inside_stack_ends(struct inside_thread *thread, uint64_t end);

/* What a stop for a signal is. */
enum inside_stop {
	INSIDE_SIGNAL, /* a signal for the program, whose registers are now as it may see them */
	INSIDE_OURS,   /* nothing: it is to run on without a signal */
};

/* It is about to get a signal. info: SIGINFO_BYTES (record/calls/call.h), NULL: not known. */
enum inside_stop inside_signal(struct inside_thread *thread, int sig, const void *info);

/*
 * A stopped thread may have a signal of the agent's that has not come up yet, for a stop that was asked for comes
 * first: it is to run to its stop for that.
 */
bool inside_owes_signal(const struct inside_thread *thread);

/* Takes what is in all rings until now, in the order of time. How many calls, or what `call` returned if that is < 0.
 */
long inside_drain(struct inside *inside);

/* Tells what was counted of threads that have the agent still; it is not told again when they end. */
void inside_tell_counts(struct inside *inside);

/* How many threads have the agent. */
size_t inside_count(const struct inside *inside);

/*
 * How many of the calls that the agent has recorded took a stop: the first of a site, and those of one that cannot be
 * patched.
 */
uint64_t inside_caught(const struct inside *inside);

/* How many programs got no agent, or lost it, and why the first did; NULL: none. Not to be freed. */
unsigned inside_refused(const struct inside *inside, const char **why);

/* From now on no program gets the agent, and a call that is caught has not begun when its thread runs on. */
void inside_quiet(struct inside *inside);

/*
 * All threads that can stop are stopped, and to be given to inside_leave() before they run on: what the agent has
 * changed for each program is put back. Those that stop later may be, too.
 */
void inside_let_go(struct inside *inside);

/* A stopped thread is to run on alone, as if nothing had been. signal: it is about to get one. */
void inside_leave(struct inside_thread *thread, bool signal);

#endif
