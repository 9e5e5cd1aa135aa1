/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a run ended, and what it took. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_OUTCOME_H
#define EXECTRACE_SRC_ANSWER_WHY_OUTCOME_H

#include <exectrace/answer/why/page/page.h>

/* The processor time of the top and what is below it, ns; of how many processes it is known, and how many there are. */
uint64_t outcome_cpu(const struct why *why, size_t *known, size_t *all);

/* Adds the first lines of the page. */
void page_outcome(const struct why *why, struct buf *out);

#endif
