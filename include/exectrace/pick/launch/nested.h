/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exectrace inside exectrace. A process tree has one seccomp listener (EBUSY, seccomp(2)), the outer one's. So that one
 * passes on what is executed below the command of the inner one, which answers it.
 *
 *   the inner one's root                       the outer one
 *   1 an execve with NESTED_PATH for a path
 *                                              2 answers by a socket, which becomes the result
 *                                                (SECCOMP_IOCTL_NOTIF_ADDFD), and says hello there
 *   3 fetches the listener (pidfd_getfd(2)),
 *     to answer by, and adds a filter that
 *     allows all: processes whose parents have
 *     ended are known by their number of them
 *                                              4 sends what is notified and not picked by itself
 *
 * Nobody else receives from the listener: what the inner one receives from is the socket, the feed. Where there is no
 * outer one the call fails, for there is no such address. The socket makes nobody's rights larger: it says what is
 * executed below the asker. The listener would; so the kernel decides who gets it, those who may attach to the outer
 * one (PTRACE_MODE_ATTACH_REALCREDS, ptrace(2)).
 *
 * Where the feed ends, the outer one lets go on all that was sent and is not answered. Where the outer one has ended,
 * its keeper does so, and nothing is sent any more; the inner one receives from the listener, too, lest nobody does
 * when that keeper is killed as well.
 */
#ifndef EXECTRACE_PICK_LAUNCH_NESTED_H
#define EXECTRACE_PICK_LAUNCH_NESTED_H

#include <exectrace/pick/launch/shared.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/types.h>

/* What the outer one says first. */
struct nested_hello {
	pid_t pid;    /* the asker: another number than its own in another pid namespace, and then it is nothing */
	pid_t outer;  /* whose descriptor the listener is */
	int listener; /* its number there */
};

/*
 * In the root: asks for what an outer exectrace has. The listener, and *feed, both the caller's; -EBUSY: there is none,
 * or it gives nothing.
 */
int nested_ask(pid_t supervisor, int *feed);

/* Whether a descriptor is a feed, and not a listener: both come in the same way. */
bool nested_is_feed(int fd);

/* Whether a call is such a question; the supervisor of who asks, which is not below it. */
bool nested_asks(const struct seccomp_data *call, pid_t *supervisor);

/* Whether it may be that of a program that is parked (PARK_CALL), or an exectrace that tries whether one could be: an
 * execve of nothing, which cannot come to anything. */
bool nested_parks(const struct seccomp_data *call);

/* Answers the question: our end of the feed, the caller's, or -errno with nothing answered. */
int nested_answer(int listener, const struct slot *slot);

/* Sends a notification, without waiting. 0; -EAGAIN, -EPIPE. */
int nested_send(int feed, const struct slot *slot);

/* The inner one, before it has a thread restart its call: then that is no other one. */
void nested_say_again(int feed, pid_t tid);

/* What the inner one has said next: a tid; 0: nothing. */
pid_t nested_hear(int feed);

/* Receives one into a free slot. As listener_receive; -ENOENT at the end of the feed (listener_ended). */
int nested_receive(int feed, struct slot *slot);

#endif
