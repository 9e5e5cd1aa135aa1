/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What delayed a guest. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_DELAYS_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_DELAYS_H

#include "holds.h"
#include "lineage.h"
#include "where.h"
#include <exectrace/answer/waits/task_waits.h>
#include <exectrace/answer/why/guest/guest.h>

/* Replays the guest once more and fills story->delays and chain. 0 or -ENOMEM. */
int delays_find(struct guest_story *story, struct task_waits *waits, const struct lineages *lineages);

/* Fills story->stuck. The same. */
int stuck_find(struct guest_story *story, struct task_waits *waits, const struct where *where,
               const struct holds *holds);
void stuck_print(struct buf *out, const struct guest_story *g);
void stuck_json(struct jsonl *j, const struct guest_story *g);

/* Adds them to the page, and to an object; nothing when there are none. Failures stay in out->err. */
void delays_print(struct buf *out, const struct guest_story *g, size_t max); /* at most */
void delays_json(struct jsonl *j, const struct guest_story *g);

#endif
