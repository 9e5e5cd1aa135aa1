/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which process is in the way of a call that was refused. */
#ifndef EXECTRACE_SRC_ANSWER_STORY_HOLDERS_H
#define EXECTRACE_SRC_ANSWER_STORY_HOLDERS_H

#include <exectrace/answer/story/history.h>

/*
 * The number of a process, + 1, that had at that moment what process p was refused: for EAGAIN the lock on an object;
 * for ETXTBSY the file open to write, or as its program; for EBUSY a file below the directory `what`, or that as its
 * own directory. 0: unknown, or another error.
 */
uint32_t holders_find(const struct history *h, const struct process_history *p, const char *what, uint32_t object,
                      int error);

#endif
