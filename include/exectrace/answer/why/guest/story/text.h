/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How names of a guest stand on the page. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_STORY_TEXT_H
#define EXECTRACE_ANSWER_WHY_GUEST_STORY_TEXT_H

#include <exectrace/answer/why/guest/story/story.h>

/* Adds a time. */
void guest_story_time(struct buf *out, const struct guest_story *g, uint64_t time);

/* A name, cut when it is long. Failures of these stay in out->err. */
void text_name(struct buf *out, const char *name);

/* A text that came from elsewhere, at most max bytes of it. */
void text_cut(struct buf *out, const char *text, size_t max);

/* "init [1]" */
void text_task(struct buf *out, const char *task, uint32_t pid);

/* "msleep", "probe [acme]", "main of prog" */
void text_function(struct buf *out, const char *name, const char *module);

/* A time in a column. */
void text_padded(struct buf *out, const struct guest_story *g, uint64_t ticks);

#endif
