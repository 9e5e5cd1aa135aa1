/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of what the page says of a trouble, and of an end, which is described as one. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_TROUBLE_TEXT_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_TROUBLE_TEXT_H

#include <exectrace/answer/why/guest/guest.h>

/* Each adds lines: the commands of its task; the stack; who called into the module on it last. */
void trouble_print_lineage(struct buf *out, const struct guest_trouble *t);
void trouble_print_stack(struct buf *out, const struct guest_trouble *t);
void trouble_print_talks(struct buf *out, const struct guest_story *g, const struct guest_trouble *t);

#endif
