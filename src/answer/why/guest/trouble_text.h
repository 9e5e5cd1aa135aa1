/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the page says of how a guest ended, and of its kernel's trouble; an end is described as one. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_TROUBLE_TEXT_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_TROUBLE_TEXT_H

#include <exectrace/answer/why/guest/guest.h>

/* Each adds lines: the commands of its task; the stack; who called into the module on it last. */
void trouble_print_lineage(struct buf *out, const struct guest_trouble *t);
void trouble_print_stack(struct buf *out, const struct guest_trouble *t);
void trouble_print_talks(struct buf *out, const struct guest_story *g, const struct guest_trouble *t);

/* Who ended it: nothing when that is not known, or its kernel panicked. data: as guest_story_print has it. */
void ender_print(struct buf *out, const struct guest_story *g, const char *data);

/* Whether it ended of its own will, and its kernel was not in trouble. */
bool guest_ended_well(const struct guest_story *g);

/* Whether how it ended tells more than what it did before: its kernel was in trouble, or everybody waited. */
bool trouble_tells(const struct guest_story *g);

/* The worst trouble, and the others in a line each. data: the same. */
void trouble_print(struct buf *out, const struct guest_story *g, const char *data);

#endif
