/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What those waited for that had not ended when the recording did. */
#ifndef EXECTRACE_ANSWER_WHY_TIME_WAITING_H
#define EXECTRACE_ANSWER_WHY_TIME_WAITING_H

#include <exectrace/answer/why/page/page.h>

/* Adds the part, when the top had not ended. */
void page_waiting(const struct why *why, struct buf *out);

#endif
