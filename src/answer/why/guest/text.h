/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How names of a guest stand on the page. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_TEXT_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_TEXT_H

#include <exectrace/answer/why/guest/guest.h>

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

/* Who ended it: nothing when that is not known, or its kernel panicked. data: the same. */
void ender_print(struct buf *out, const struct guest_story *g, const char *data);

/* Whether it ended of its own will, and its kernel was not in trouble. */
bool guest_ended_well(const struct guest_story *g);

/* Whether how it ended tells more than what it did before: its kernel was in trouble, or everybody waited. */
bool trouble_tells(const struct guest_story *g);

/* The worst trouble, and the others in a line each. data: as guest_story_print has it. */
void trouble_print(struct buf *out, const struct guest_story *g, const char *data);

#endif
