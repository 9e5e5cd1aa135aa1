/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that a stopped thread makes for us wherever it stands, in such a way that we may be killed between any
 * two instructions of our own. Then the thread runs on: it makes the call, gets all of its registers back, and is where
 * it was; a call of its own that was interrupted by the stop is made again.
 *
 * The code for that is put where no program has any: at the end of the last page of the vDSO's image (vdso(7)), and
 * taken away afterwards. It touches no stack and changes no flag, so that a signal may meet the thread anywhere in it.
 * x86-64 only.
 *
 * While the tracer lives, nothing is decided for the kernel: the thread gets back what it had at its stop, with the
 * number of an interrupted call, and whether that restarts or fails with EINTR depends on the signals that are there by
 * then (signal(7)). A signal that comes before the call is delivered first, to the thread as it was.
 *
 *   we are killed              the thread
 *   before detour_make         has not been touched
 *   before its call begins     delivers what signals there are, as if it had not been touched; makes the call, goes on
 *   after that                 goes on with its own
 *
 * One thing is as it is whenever the kernel makes an interrupted call again: a signal that comes when it is on its way
 * there, and is not blocked, is handled before the call, and does not end it. That way is longer with the call.
 */
#ifndef EXECTRACE_TARGET_TRACEE_DETOUR_H
#define EXECTRACE_TARGET_TRACEE_DETOUR_H

#include <exectrace/target/process/mem.h>
#include <exectrace/target/tracee/ptrace.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DETOUR_BYTES 512u    /* of the code and of the data for a call */
#define DETOUR_DATA_MAX 360u /* of that, data */

struct detour {
	pid_t tid;          /* the stopped thread that makes the calls */
	remote_addr_t at;   /* where the code is */
	remote_addr_t data; /* where the data is while a call is made */
	bool left;          /* a tracer that has ended has left code there */
};

/* Where the code of a process would be, by any of its threads: 0 or -errno; -ENOTSUP: there is no room. */
int detour_find(struct detour *detour, pid_t tid);

/*
 * Whether a stopped thread is in that code, because a tracer has ended, or seems to return to it from a handler (an
 * address in it lies on the stack): 1, 0 or -errno. It must run on first.
 */
int detour_has(const struct detour *detour, pid_t tid);

/* Likewise of one that is not stopped: it waits in a call that does not let it. -EAGAIN: it runs. */
int detour_has_waiting(const struct detour *detour, pid_t tid);

/*
 * Whether detour->tid, which stands at a PTRACE_EVENT_STOP, can make calls: 0; -EAGAIN: not where it is (a restartable
 * sequence, rseq(2), which is not to be gone on with after a stop that it has not seen); -ENOTSUP.
 */
int detour_ready(const struct detour *detour);

struct detour_call {
	long nr;
	uint64_t args[6];
	const void *data; /* to be at detour->data while it is made */
	size_t n;
	int64_t result; /* which may be a -errno */
};

/* The call as the thread's filters will see it. */
void detour_describe(const struct detour *detour, const struct detour_call *call, struct seccomp_data *data);

/*
 * Makes a call, and leaves the thread at a PTRACE_EVENT_STOP as it was before: 0 with call->result. -errno when the
 * call was not made; -ESRCH: the thread has ended, or does not come back in time.
 */
int detour_make(const struct detour *detour, struct detour_call *call);

/* Takes the code away. No thread may be in it. */
int detour_clean(const struct detour *detour);

/*
 * Of a thread at a PTRACE_EVENT_STOP: where that has interrupted a call which tells of every interruption (EINTR of
 * epoll_wait(2) and others, see signal(7)), lets it restart unless a signal is handled.
 */
void detour_resume_call(pid_t tid);

#endif
