/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The seccomp listener (seccomp_unotify(2)): the filter, and the three ioctls. The only place that calls them. */
#ifndef EXECTRACE_PICK_LAUNCH_LISTENER_H
#define EXECTRACE_PICK_LAUNCH_LISTENER_H

#include <exectrace/base/buf.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/pick/launch/shared.h>
#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Installs, in the calling process and all that descend from it, a filter that notifies on execve and execveat of every
 * ABI, and allows all else. nnp: sets no_new_privs first; without, -EACCES says that it has to be. The listener or
 * -errno.
 */
int listener_install(bool nnp);

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV /* Linux 5.19; headers of Debian 12 have it, libseccomp 2.5 not */
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

/* The flags of seccomp(2) for that, and for all threads of a process at once. */
#define LISTENER_FLAGS \
	(SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV | SECCOMP_FILTER_FLAG_SPEC_ALLOW)
#define LISTENER_FLAGS_ALL (LISTENER_FLAGS | SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH)

/*
 * The same filter for another process, in which these bytes are to be at address `at`, where they begin with its struct
 * sock_fprog. It begins with a mark, by which it is known again. The number of bytes or -errno.
 */
long listener_lay_out(void *to, size_t room, uint64_t at, uint32_t mark);

/* Whether a filter of n instructions has this mark. */
bool listener_is_marked(const struct sock_filter *insns, size_t n, uint32_t mark);

/* Adds a clause on why listener_install has failed with err, and what would help. */
void listener_explain(struct buf *why, int err);

/* Whether receiver and caller wake each other on the processor they run on. False: they cannot (before Linux 6.6). */
bool listener_sync_wakeup(int listener, bool on);

/* Receives into a free slot. 0; -EINTR; -ENOENT: the caller was gone, or, since Linux 6.11, all are (listener_ended).
 */
int listener_receive(int listener, struct slot *slot);

#define ANSWER_CONTINUE 1              /* the call goes on */
#define ANSWER_AGAIN (-ERESTARTNOINTR) /* it restarts */

/*
 * Answers a call: ANSWER_CONTINUE, ANSWER_AGAIN or 0, its result. 0, also when nobody waits for that any more (its
 * caller is gone, or has an answer); -errno when it has failed several times: the caller waits on.
 */
int listener_give(int listener, uint64_t id, int answer);

/* Gives an answer and frees the slot. False: it has failed, and the slot is SLOT_OWED: the keeper is to be woken. */
bool listener_settle(int listener, struct slot *slot, int answer);

/* 0 when the ioctls are not refused; else -errno, before anybody calls. */
int listener_try(int listener);

/* True while the caller still waits for this answer. */
bool listener_valid(int listener, uint64_t id);

/* True when no process has the filter any more (POLLHUP, Linux 5.9). */
bool listener_ended(int listener);

/* True when processes have it and will have it; for what is just ending it waits, at most 20 ms. */
bool listener_lives_on(int listener);

#endif
