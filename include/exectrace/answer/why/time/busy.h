/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kept processors busy. */
#ifndef EXECTRACE_ANSWER_WHY_TIME_BUSY_H
#define EXECTRACE_ANSWER_WHY_TIME_BUSY_H

#include <exectrace/answer/why/page/page.h>

/* The programs, and, of what was sampled, the functions. */
void page_busy(const struct why *why, struct buf *out);
void page_samples(const struct why *why, struct buf *out);

#endif
