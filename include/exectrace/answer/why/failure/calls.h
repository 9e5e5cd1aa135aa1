/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The failing calls of a process: those that its message speaks of first. */
#ifndef EXECTRACE_ANSWER_WHY_FAILURE_CALLS_H
#define EXECTRACE_ANSWER_WHY_FAILURE_CALLS_H

#include <exectrace/answer/why/page/page.h>

/*
 * Adds the failing calls of a process before its message, the newest first, those that the message speaks of before
 * the others. The first one; NULL: there is none. page_first_call finds it only. *told, unless
 * there is none: the message has its error.
 */
const struct failure *page_calls(const struct why *why, const struct process_history *p, bool *told, struct buf *out);
const struct failure *page_first_call(const struct process_history *p, bool *told);

/* Adds a failing call of p and where it was made, as lines. told: its message is of it. */
void page_call_line(const struct why *why, const struct process_history *p, const struct failure *f, bool told,
                    struct buf *out);

#endif
