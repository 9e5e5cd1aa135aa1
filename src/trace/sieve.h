/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a process stop at the wanted calls only: the seccomp filter it is given, and the guard which that needs. */
#ifndef EXECTRACE_SRC_TRACE_SIEVE_H
#define EXECTRACE_SRC_TRACE_SIEVE_H

#include "affinity.h"
#include "call.h"
#include "told.h"
#include <exectrace/syscalls/filter.h>
#include <exectrace/tracee/ptrace.h>

struct sieve {
	const struct syscall_filter *filter; /* the calls that are wanted */
	bool possible;                       /* not done yet, and may be */
	const char *why;                     /* it is not, and will not be; NULL: it is, or may be */
	struct guard *guard;                 /* not NULL: it is done */
	bool tell;                           /* calls that execute do not stop by the filter: they are told */
	struct told told;
};

/*
 * For the process pid. filter: NULL: all calls are wanted, and nothing is ever done. told: a socket on which execs can
 * be told, 0: none.
 */
void sieve_init(struct sieve *sieve, const struct syscall_filter *filter, pid_t pid, int told);

/*
 * The thread, the only one that is traced, is at the end of a call or (outside) was asked to stop. When that is a place
 * for it, gives it the filter; what cannot be filtered goes on stopping at every call.
 */
void sieve_try(struct sieve *sieve, struct affinity *affinity, struct thread *thread, bool outside);

/* There are several threads: from now on it is not possible any more. */
void sieve_too_late(struct sieve *sieve);

/* A thread begins (and has not run yet), or has ended. */
void sieve_add(struct sieve *sieve, struct thread *thread);
void sieve_remove(struct sieve *sieve, const struct thread *thread);

/* It has entered its call, or what that has made has been added. */
void sieve_entered(struct sieve *sieve, const struct thread *thread);
void sieve_forked(struct sieve *sieve, const struct thread *thread);

/* True when the thread's next stop is to be the end of its call or the beginning of any; false: of a wanted one. */
bool sieve_stops_at_all(const struct sieve *sieve, const struct thread *thread);

/* True when a stop at the beginning of any call is of no use: those that are wanted stop by the filter, too. */
bool sieve_ignores(const struct sieve *sieve, const struct syscall_stop *stop);

/* Listens to who tells of execs; busy: there is a stop to look at. */
void sieve_hear(struct sieve *sieve, struct threads *threads, bool busy);

/* A thread that was asked to stop has done so. */
void sieve_asked(struct thread *thread);

/* left: threads are left, and wait for the end of the calling process. */
void sieve_end(struct sieve *sieve, bool left);

#endif
