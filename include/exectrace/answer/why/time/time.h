/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run waited for: the critical chain. */
#ifndef EXECTRACE_ANSWER_WHY_TIME_TIME_H
#define EXECTRACE_ANSWER_WHY_TIME_TIME_H

#include <exectrace/answer/why/page/page.h>

/* Adds the part. */
void page_time(const struct why *why, struct buf *out);

#endif
