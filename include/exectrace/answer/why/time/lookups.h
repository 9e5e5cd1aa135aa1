/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that look up very many names of files, most of them in vain perhaps. */
#ifndef EXECTRACE_ANSWER_WHY_TIME_LOOKUPS_H
#define EXECTRACE_ANSWER_WHY_TIME_LOOKUPS_H

#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/why/page/page.h>

/* Adds a line for each of those that made most such calls; nothing below 10,000. */
void page_lookups(const struct why *why, struct buf *out);

/* The same as "lookups". */
void page_lookups_json(const struct why *why, struct jsonl *j);

#endif
