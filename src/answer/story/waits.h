/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls in which a thread waits, and those that end the wait of another. */
#ifndef EXECTRACE_SRC_ANSWER_STORY_WAITS_H
#define EXECTRACE_SRC_ANSWER_STORY_WAITS_H

#include "taken.h"
#include <exectrace/base/clock.h>

#define WAIT_MIN (100 * NS_PER_US) /* shorter calls are not counted as waits */

/* Adds a wait of the call's length; NULL when that is too short to count. Waits come by their ends. */
struct wait *waits_add(const struct taken *c, enum wait_kind kind);

/* The same of a call on an object; one on a regular file waits for no other process, and is WAIT_CALL. */
struct wait *waits_of_file(const struct taken *c, enum wait_kind kind, uint32_t object);

/* A wait (NULL: none) was for this object (0: none), too. Only for the wait that was added last. */
void waits_object(const struct taken *c, struct wait *wait, uint32_t object);

/* The call may have ended a wait for the object (0: none). */
void waits_wake(const struct taken *c, uint32_t object, enum wake_kind kind);

/*
 * The call has read from the descriptor in an argument: when that is standard input, notes who above reads the same.
 * What one has read, the other gets no more.
 */
void waits_note_input(const struct taken *c, unsigned arg);

/* The calls of each kind. */
void waits_on_read(const struct taken *c);
void waits_on_write(const struct taken *c);
void waits_on_wait4(const struct taken *c);
void waits_on_waitid(const struct taken *c);
void waits_on_flock(const struct taken *c);
void waits_on_lock(const struct taken *c); /* fcntl(2) */
void waits_on_futex(const struct taken *c);
void waits_on_poll(const struct taken *c);
void waits_on_epoll_wait(const struct taken *c);
void waits_on_epoll_ctl(const struct taken *c);
void waits_on_sleep(const struct taken *c);
void waits_on_restart(const struct taken *c);
void waits_on_signal_wait(const struct taken *c);

#endif
