/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to traced threads, as plain data on its way from a source (record/stops) to a sink (text, JSON,
 * summary). A source knows nothing of what becomes of its events, a sink nothing of where they come from.
 *
 * What a source promises:
 * - Events of a thread come in the order in which they happened to it, those of several so that what caused another
 *   comes first: the call that made a thread before its CALL_BEGIN, CALL_END of a process before the wait that tells
 * it.
 * - CALL_BEGIN and CALL_END, CALL_TAKEN or CALL_LET_GO enclose all others of a thread. CALL_EXIT follows the CALL_ENTER
 * of the same call. A call that does not return has no CALL_EXIT: CALL_TAKEN or CALL_END finds thread->in_call set.
 * - A signal is told where it is delivered: behind the CALL_EXIT of the call that it interrupts, whose result then is
 *   one of the kernel's own (ERESTARTSYS and the like), and before the CALL_ENTER of the restarted one.
 * - The registers of a call are in thread->call, its result in thread->result, as the program has them.
 * - The memory behind its arguments is in thread->memory as it was at the moment of the event. When that is not
 * `whole`, the thread is stopped until the sink has returned, and the sink reads the process: so a source in which
 * threads run on must stop them for the calls of which it takes no whole one.
 * - What a sink asks for beyond that, the paths of descriptors among it, it asks the process for (/proc), too. Behind
 *   CALL_LATE the process may have run on by then; what a new descriptor refers to comes with the call that makes it,
 *   or the thread is stopped.
 * - The times are those of the event, not of when it is told.
 */
#ifndef EXECTRACE_RECORD_CALLS_CALL_H
#define EXECTRACE_RECORD_CALLS_CALL_H

#include <exectrace/base/buf.h>
#include <exectrace/record/calls/injections.h>
#include <exectrace/record/inside/counts.h>
#include <exectrace/target/decode/extras.h>
#include <exectrace/target/decode/snapshot.h>
#include <exectrace/target/process/usage.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SIGINFO_BYTES 128 /* of every ABI (sigaction(2)) */

/* What was seen of what a process uses; the source's. */
struct thread_usage {
	bool counted;          /* what the thread moved is in `all` of the first thread of its process */
	bool uncounted;        /* of a first thread: what another one moved is not */
	struct exec_usage all; /* of a first thread: of the process */
};

struct inside_thread;
struct stack_copy;

/* A traced thread. The source owns it; it lives from CALL_BEGIN to CALL_END. */
struct thread {
	struct thread *next;          /* the source's */
	struct inside_thread *inside; /* likewise: NULL when its calls stop */
	pid_t tid;
	pid_t tgid;
	pid_t parent;         /* the thread that made it; of the first one its parent process; 0: not known */
	pid_t parent_pid;     /* its process */
	uint64_t clone_flags; /* with which it was made: clone(2); 0: not known */
	bool attached;        /* it ran already when its process was attached to, and has made no call since */
	bool in_call;         /* `call` has been entered and has not returned */
	bool wanted;          /* ... and is one that was asked for */
	bool forbidden;       /* ... or one for which a filter ends its process: that was not asked for, and is shown */
	bool hidden;          /* followed, but not shown: sinks do not hear of it */
	bool exec_due;  /* it will enter a call that executes, which does not stop by the filter (exec_handshake.h) */
	int number;     /* the source's */
	bool sandboxed; /* it has a seccomp filter that is younger than the tracer's (record/seccomp) */
	struct thread_usage usage;
	bool entered;             /* the last stop was the beginning of `call` */
	bool leaves;              /* it is stopped, to be let go with all others (record/stops/detach.h) */
	struct injected injected; /* what was done to its call */
	bool delayed;             /* it stays stopped for a while (record/stops/tamper.h) */
	bool untraced;            /* CLONE_UNTRACED was taken from the call that it makes, or was made by
	                             (record/seccomp/untraced.h) */

	uint64_t enter; /* CLOCK_MONOTONIC, ns */
	uint64_t wall;  /* of the entry: CLOCK_REALTIME, ns */
	struct syscall_call call;
	struct syscall_result result; /* CALL_EXIT */
	struct snapshot memory;       /* CALL_ENTER, CALL_EXIT: behind the arguments, at that moment */
	uint64_t stack;               /* of the call; 0: none was taken (stacks.h) */
	uint64_t stack_end;           /* stacks.h: behind its outermost frame; 0: not known */
	bool polls;                   /* for sinks: the call waits for a descriptor that is asked for */
	bool aside;                   /* the call was not asked for: it is seen because of what it changes */
	/* The sink's: */
	struct call_extras extras; /* of the call so far */
	struct decode_state state;
	struct buf line; /* what is known of the call so far */
	struct decode_state plain_state;
	struct buf plain; /* the same without the paths of descriptors, where it is that which is shown */
	bool cut;         /* its line was ended as unfinished */
	uint64_t ran;     /* how long it had run when it entered the call, ns; 0: not known */
	int file;         /* that its lines are written to, when each thread has one; 0: none */
	bool lined;       /* with that: its last line is still without its end */
	bool told;        /* it was said that the call does not return */
	int errors;       /* the copy of standard error that it has made; 0: none */
	char comm[16];    /* the name of the thread, where it is shown; "": not known */
};

enum call_type {
	CALL_BEGIN, /* a new thread */
	CALL_LATE,  /* stopped; from now on its process runs on while its calls are told: /proc will be ahead of them */
	CALL_ENTER, /* thread->call */
	CALL_EXIT,  /* thread->result */
	CALL_SIGNAL, /* `sig` is delivered, with `info` */
	CALL_STOP,   /* stopped by `sig` */
	CALL_EXEC,   /* its process has a new program; `other` is the number that the thread had before */
	CALL_LEAVES, /* it is about to end, when the sink has asked for that (stops_config.leaving); CALL_END follows */
	CALL_TAKEN,  /* its execve ends the process's other threads: it goes on as thread `other` */
	CALL_LET_GO, /* it runs on without a tracer; the last of its events */
	CALL_END,    /* `status`, as wait(2) has it; or it vanished: status is -1 */
};

struct call_event {
	enum call_type type;
	struct thread *thread;
	uint64_t now;  /* CLOCK_MONOTONIC, ns */
	uint64_t wall; /* CLOCK_REALTIME, ns */
	bool ahead;    /* the process has run on since */
	/* With `ahead`: the stack of its call (target/unwind), if that was asked for; else NULL. */
	const struct stack_copy *stack;
	int sig;
	int status;
	pid_t other;
	const struct exec_usage *usage; /* CALL_END of the last thread of a process, when it was asked for; else NULL */
	const void *info;               /* SIGINFO_BYTES of CALL_SIGNAL, NULL when it could not be read */
};

/* Whether it is the entry or the end of a call that was not asked for (struct thread). */
static inline bool call_is_aside(const struct call_event *event)
{
	return (event->type == CALL_ENTER || event->type == CALL_EXIT) && event->thread->aside;
}

/* Takes the events in their order. A sink that cannot write any more returns -errno once; the source then lets go. */
struct call_sink {
	bool held; /* something is held back until `idle` or later events */
	int (*event)(struct call_sink *sink, const struct call_event *event);
	/* Takes calls of number nr of x86-64 that were counted where they were made, and come as no events; NULL: it
	 * cannot. */
	int (*add)(struct call_sink *sink, uint32_t nr, const struct call_counts *counts);
	/* Nothing will come for a while: what was held back is to be shown. 0 or -errno. */
	int (*idle)(struct call_sink *sink);
	/* The end. 0 or -errno. Frees the sink. */
	int (*end)(struct call_sink *sink);
};

#endif
