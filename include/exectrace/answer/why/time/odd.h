/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of many like processes is unlike the others. */
#ifndef EXECTRACE_ANSWER_WHY_TIME_ODD_H
#define EXECTRACE_ANSWER_WHY_TIME_ODD_H

#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/why/page/page.h>

/* Adds the part; as members of an object. */
void page_odd(const struct why *why, struct buf *out);
void page_odd_json(const struct why *why, struct jsonl *j);

#endif
