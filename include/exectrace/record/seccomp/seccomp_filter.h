/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a process stop at the wanted calls only: the seccomp filter it is given, and the guard which that needs.
 *
 * A process that has a filter of its own gets none: its filter may kill it for the seccomp(2) that would be made in it,
 * and answers calls that it refuses before ours could, so that they would not be seen. It stops at every call. So does
 * a thread, from then on, that gets a filter of its own later.
 */
#ifndef EXECTRACE_RECORD_SECCOMP_SECCOMP_FILTER_H
#define EXECTRACE_RECORD_SECCOMP_SECCOMP_FILTER_H

#include <exectrace/record/calls/call.h>
#include <exectrace/record/seccomp/exec_handshake.h>
#include <exectrace/target/syscalls/filter.h>
#include <exectrace/target/tracee/affinity.h>
#include <exectrace/target/tracee/ptrace.h>

struct seccomp_filter {
	const struct syscall_filter *filter; /* the calls that are wanted */
	unsigned ours;                       /* filters of the process that are exectrace's */
	bool possible;                       /* not done yet, and may be */
	const char *why;                     /* it is not, and will not be; NULL: it is, or may be */
	struct guard *guard;                 /* not NULL: it is done */
	bool sandboxes;                      /* some thread has got a filter of its own */
	bool tell;                           /* calls that execute do not stop by the filter: they are told */
	struct exec_handshake handshake;
};

/*
 * calls: NULL: all are wanted, and nothing is ever done. execs: a socket on which execs can be told, because the
 * process has a filter of exectrace's that answers these first; 0: it has none. ends: on which it can be told how
 * processes end: the same; 0: nobody asks.
 */
void seccomp_filter_init(struct seccomp_filter *filter, const struct syscall_filter *calls, int execs, int ends);

/*
 * The thread, the only one that is traced, is at the end of a call or (outside) was asked to stop. When that is a place
 * for it, gives it the filter; what cannot be filtered goes on stopping at every call. True when the thread has ended
 * meanwhile: *status says how.
 */
bool seccomp_filter_try(struct seccomp_filter *filter, struct affinity *affinity, struct thread *thread, bool outside,
                        int *status);

/* There are several threads: from now on it is not possible any more. */
void seccomp_filter_too_late(struct seccomp_filter *filter);

/* A thread begins (and has not run yet; maker: NULL: not known), or has ended. */
void seccomp_filter_add(struct seccomp_filter *filter, struct thread *thread, const struct thread *maker);
void seccomp_filter_remove(struct seccomp_filter *filter, const struct thread *thread);

/* It has entered its call, or what that has made has been added. */
void seccomp_filter_entered(struct seccomp_filter *filter, const struct thread *thread);
void seccomp_filter_forked(struct seccomp_filter *filter, const struct thread *thread);

/* The thread's call has gone well: it may have given it, or with it all of its process, a filter. */
void seccomp_filter_left(struct seccomp_filter *filter, struct threads *threads, struct thread *thread);

/* True when the thread's next stop is to be the end of its call or the beginning of any; false: of a wanted one. */
bool seccomp_filter_stops_at_all(const struct seccomp_filter *filter, const struct thread *thread);

/*
 * The thread is at a stop of a call. True when that is the beginning of one and of no use: it is not wanted, or the
 * thread has stopped there before, for those that are wanted can stop twice, by the filter too.
 */
bool seccomp_filter_ignores(const struct seccomp_filter *filter, struct thread *thread,
                            const struct syscall_stop *stop);

/* Listens to who tells of execs; busy: there is a stop to look at. */
void seccomp_filter_hear(struct seccomp_filter *filter, struct threads *threads, bool busy);

/* A thread that was asked to stop has done so. */
void seccomp_filter_asked(struct thread *thread);

/* left: threads are left, and wait for the end of the calling process. */
void seccomp_filter_end(struct seccomp_filter *filter, bool left);

#endif
