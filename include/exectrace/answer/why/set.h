/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why of many recordings, as the shards of a CI run: how they ended; why those that failed did, a paragraph for each
 * cause with how many have it and which; what they waited for, added up. One page, however many they are.
 *
 * Two failures have one cause when they began in the same program, which ended in the same way, and there is the same
 * behind it, but for numbers, times and names of temporary files: the signal and who sent it; else the failing call
 * that the last message speaks of; else that message; else the last failing call; else the command line. Of a guest it
 * is how that ended.
 */
#ifndef EXECTRACE_ANSWER_WHY_SET_H
#define EXECTRACE_ANSWER_WHY_SET_H

#include <exectrace/answer/why/why.h>

struct why_set;

/* NULL without memory. */
struct why_set *why_set_new(void);

/* NULL is allowed. */
void why_set_free(struct why_set *set);

/* Adds a recording, which `path` names. Neither it nor its page is needed afterwards. 0 or -ENOMEM. */
int why_set_add(struct why_set *set, const struct why *why, const char *path);

/* Adds the page. 0 or -ENOMEM. */
int why_set_text(struct why_set *set, struct buf *out);

/* Adds all of it, not only what fits on a page, as one JSON object; times in ns. 0 or -ENOMEM. */
int why_set_json(struct why_set *set, struct buf *out);

#endif
