/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was not recorded, and how to record it. */
#ifndef EXECTRACE_ANSWER_WHY_TIME_MISSING_H
#define EXECTRACE_ANSWER_WHY_TIME_MISSING_H

#include <exectrace/answer/why/page/page.h>

/* Adds the part. */
void page_missing(const struct why *why, struct buf *out);

#endif
