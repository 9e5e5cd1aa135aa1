/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a run failed: the chain of processes down to where it began, and what is known there. */
#ifndef EXECTRACE_ANSWER_WHY_FAILURE_FAILURE_H
#define EXECTRACE_ANSWER_WHY_FAILURE_FAILURE_H

#include <exectrace/answer/why/page/page.h>

/* Adds the part; nothing where the run did not fail. */
void page_failure(const struct why *why, struct buf *out);

/* The last line that is not empty of what a process (or NULL) wrote to an output, and its bytes; 0: there is none. */
const char *page_last_line(const struct process_history *p, int output, size_t *n);

#endif
