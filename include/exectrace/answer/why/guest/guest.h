/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recorded guest: its story (story.h) is read, and told to people and programs. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_GUEST_H
#define EXECTRACE_ANSWER_WHY_GUEST_GUEST_H

#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/why/guest/story/story.h>

/*
 * Reads a file of a guest; r must outlive the story. tree: has the guest's processes; NULL: nothing does. *ret is set
 * on success only. 0; -EINVAL with a line in err; -ENOMEM.
 */
int guest_story_read(struct guest_story **ret, struct recording *r, size_t file, struct buf *err);

/*
 * Adds what the system calls of its processes tell of its end: who failed, who waited for what, who ended it. Reads the
 * file once more; adds nothing when it cannot be read. 0 or -ENOMEM.
 */
int guest_story_tell(struct guest_story *g);

/* NULL is allowed. */
void guest_story_free(struct guest_story *g);

/* Adds "its kernel panicked at 4.1s", or how else it went. Failures of these stay in out->err. */
void guest_story_outcome(struct buf *out, const struct guest_story *g);

/*
 * Adds the part of the page. data: what commands that show more of it have behind them: " exectrace.data/guest-1-7.xtr"
 */
void guest_story_print(struct buf *out, const struct guest_story *g, const char *data);

/* Adds its members to an object. */
void guest_story_json(struct jsonl *j, const struct guest_story *g);

#endif
