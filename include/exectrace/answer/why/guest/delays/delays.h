/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What delayed a guest. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_DELAYS_DELAYS_H
#define EXECTRACE_ANSWER_WHY_GUEST_DELAYS_DELAYS_H

#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/waits/task_waits.h>
#include <exectrace/answer/why/guest/story/lineage.h>

/* Replays the guest once more and fills story->delays and chain. 0 or -ENOMEM. */
int delays_find(struct guest_story *story, struct task_waits *waits, const struct lineages *lineages);

/* Adds them to the page, and to an object; nothing when there are none. Failures stay in out->err. */
void delays_print(struct buf *out, const struct guest_story *g, size_t max); /* at most */
void delays_json(struct jsonl *j, const struct guest_story *g);

#endif
