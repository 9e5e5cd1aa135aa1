/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What costs more from one time to the next, and what is done in very many small steps. */
#ifndef EXECTRACE_ANSWER_WHY_TIME_GROWING_H
#define EXECTRACE_ANSWER_WHY_TIME_GROWING_H

#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/why/page/page.h>

/* Adds lines. */
void page_growing(const struct why *why, struct buf *out);
void page_small(const struct why *why, struct buf *out);

/* Likewise, as members of an object. */
void page_growing_json(const struct why *why, struct jsonl *j);
void page_small_json(const struct why *why, struct jsonl *j);

#endif
