/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hearing of receipts from the kernel. The receiver, too, tells the keeper that it has received a call (shared_wake),
 * but it may be stopped before it gets to that.
 *
 * A keeper that looks at the slots and then sleeps misses no call:
 * - One that nobody has received: the listener is readable (POLLIN).
 * - One received after receipts_take: seccomp_notify_recv (kernel/seccomp.c) marks it, then wakes who polls for
 *   EPOLLOUT. For epoll that is an edge, which is kept until it is taken, and void when nothing is unanswered by then.
 *   The level would be of no use: it stays while a program is parked in its call.
 * - One received before that. To be asked after receipts_take and before the slots are looked at, receipts_pending
 *   says whether a receipt may be under way. It is not when the receiver's thread sleeps interruptibly (S): in the
 *   ioctl it does so only before it marks a call; out of it, or stopped (T), its slot shows the call. In every other
 *   state the keeper is to look again. Receivers of other listeners than the first take a slot only when there is a
 *   call: while it is in use and shows none, one is being received.
 */
#ifndef EXECTRACE_SRC_PICK_LAUNCH_RECEIPTS_H
#define EXECTRACE_SRC_PICK_LAUNCH_RECEIPTS_H

#include <exectrace/pick/launch/shared.h>
#include <stdbool.h>

/* A descriptor (close-on-exec) that is readable after a receipt, while a call is unanswered; -errno. */
int receipts_listen(void);

/* From which listeners. 0 or -errno. */
int receipts_add(int fd, int listener);

/* True when there was a receipt since the last time, and a call is unanswered. */
bool receipts_take(int fd);

/* True when the receiver may have received something that its slot does not show yet. */
bool receipts_pending(const struct shared *shared);

#endif
