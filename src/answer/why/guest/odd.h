/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of a guest that differ from the other calls of their function, and functions that cost more and more. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_ODD_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_ODD_H

#include <exectrace/answer/why/guest/guest.h>

/*
 * Finds them, by the guest's own clock, on which the host's other work does not show. The story's phases and troubles
 * are there. 0; -EINVAL with a line in err; -ENOMEM.
 */
int odd_read(struct guest_story *g, struct recording *r, size_t file, struct buf *err);

/* --- odd_text.c: for people and for programs
 * ---------------------------------------------------------------------------------- */

/* Adds lines about functions that cost more and more in a phase. behind: what each begins with. */
void odd_print_growth(struct buf *out, const struct guest_story *g, size_t phase, const char *behind);

/* Adds lines about odd calls; data: as of guest_story_print. */
void odd_print(struct buf *out, const struct guest_story *g, const char *data);

/* Adds members to an object. */
void odd_json(struct jsonl *j, const struct guest_story *g);

#endif
