/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source of calls (call.h) that exists today: ptrace stops at entry and exit of system calls, one
 * PTRACE_GET_SYSCALL_INFO each. Without a filter of calls, all calls stop (PTRACE_SYSCALL). With one, the process is
 * given a seccomp filter at the end of its first call (of its execve, when it was attached to there), and only the
 * wanted calls stop it from then on (PTRACE_EVENT_SECCOMP); where that cannot be, all calls do and the others are
 * passed over. It cannot be without CAP_SYS_ADMIN and without no_new_privs, and where the process has a filter of its
 * own. An engine's filter answers execve before ours does (seccomp(2), SECCOMP_RET_USER_NOTIF): where that is there,
 * these calls must be told (exec_handshake.h).
 */
#ifndef EXECTRACE_RECORD_STOPS_STOPS_H
#define EXECTRACE_RECORD_STOPS_STOPS_H

#include <exectrace/record/calls/call.h>
#include <exectrace/target/syscalls/filter.h>
#include <signal.h>

struct stops_config {
	pid_t pid;           /* the process to attach to; it has one thread */
	const pid_t *others; /* more of them, with all their threads; they are not given a filter */
	size_t n_others;
	bool below;      /* with follow: and to all that descend from these */
	unsigned inside; /* the call of a program from which on it records them itself, where it can; 0: never */
	bool follow;     /* its children and other threads too */
	const struct syscall_filter *filter; /* with follow: calls that sinks want to see; NULL: all */
	const struct syscall_filter *shown;  /* other calls are thread->aside; NULL: all are shown */
	const struct injections *injections; /* not with `inside`; NULL: nothing is done to calls */
	bool stacks;                         /* sinks look at the thread at each call, or at a copy of its stack */
	bool failures;          /* sinks look at the thread when one of those has failed: it is stopped then */
	enum counting counting; /* sinks want no more of calls than what they took all together (call_sink.add) */
	bool memory;            /* sinks want to see the memory behind arguments: thread->memory is filled */
	unsigned string_max;    /* bytes of a string or a buffer of that */
	bool usage;             /* sinks want to know what processes used; each thread stops at its end then */
	bool leaving;           /* sinks want CALL_LEAVES; each thread stops at its end then */
	bool interrupted;       /* sinks want to know the call in which a thread was attached to, where its
	                           restart_syscall(2) does not tell */
	bool until_exec; /* processes are let go of at the end of an execve: not with `filter`, nor with `inside`.
	                    With `ends` the first one is that of the process itself, which is not meant. */
	int execs;       /* socket on which execs can be told (exec_handshake.h); 0: none */
	int ends;        /* socket on which ends are asked for: the same one; 0: none */
	int parked;      /* socket on which the first process is said to be free to begin: the same one; 0: none */
};

/* What did not go as it could have, and what did; the texts are not to be freed. */
struct stops_why {
	pid_t refused; /* the process that could not be attached to; 0: none, or others were */
	/* The caller's: told of each of several that cannot be attached to, with -errno. NULL: it is not. */
	void (*refuses)(pid_t pid, int err);
	const char *all;    /* every call stopped although there is a filter; NULL: it did not */
	const char *inside; /* the first program that could not record its calls itself; NULL: none was tried in vain */
	unsigned programs;  /* how many could not */
	uint64_t calls;     /* calls that the sink was given */
	uint64_t recorded;  /* those of them that programs recorded themselves, without a stop */
};

/* Whether programs can record calls themselves on this system (inside.h), but for what keeps one of them from it. */
bool stops_avoidable(void);

/*
 * Attaches, and gives the sink what happens until the last thread has ended, the sink fails, or one of the signals that
 * the caller made *stop tell of has come: then it lets go of all. 0 or -errno: of the attaching (-EPERM: traced
 * already, or not allowed; of several only when none could be attached to), or the sink's. Threads with a seccomp
 * filter are not let go of: they wait until the calling process ends, which has to be soon, and get another tracer then
 * (record/seccomp/guard.h).
 */
int stops_run(const struct stops_config *config, struct call_sink *sink, const volatile sig_atomic_t *stop,
              struct stops_why *why);

#endif
