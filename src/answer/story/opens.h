/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that open, copy and close descriptors. */
#ifndef EXECTRACE_SRC_ANSWER_STORY_OPENS_H
#define EXECTRACE_SRC_ANSWER_STORY_OPENS_H

#include "taken.h"

/* open, socket, eventfd, ...: what returns a descriptor. flags: the argument that may have O_CLOEXEC; 6: none. */
void opens_result(const struct taken *c, unsigned flags);

/* True when the call opens a file to write. */
bool opens_to_write(const struct taken *c);

/* Counts what was seen to be closed again: no other call of close followed. */
void opens_count_close(struct closes *closes);

/* The calls of each kind. */
void opens_on_close(const struct taken *c);
void opens_on_close_range(const struct taken *c);
void opens_on_dup(const struct taken *c);
void opens_on_pipe(const struct taken *c);
void opens_on_fcntl(const struct taken *c);

/* A process has ended: whoever waits for its descriptors to be closed may go on. */
void opens_close_all(struct history *h, const struct recorded_thread *thread, uint64_t time);

/* Likewise of those that an exec closes. */
void opens_close_on_exec(struct history *h, const struct recorded_thread *thread, uint64_t time);

#endif
