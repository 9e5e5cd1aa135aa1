/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel said where something went wrong: the lines of its log that tell the reason. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_SAID_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_SAID_H

#include <exectrace/answer/why/guest/guest.h>

#define SAID_RECENT 8u /* lines that are remembered: part of a reason may be logged before the trouble is known */

/* While a replay goes on; all 0 at first. */
struct said {
	struct said_recent {
		struct guest_line line;
		uint32_t caller; /* as struct data_message has it */
		uint64_t at;     /* tick */
	} recent[SAID_RECENT];   /* a ring */
	size_t n;                /* all that were put there */
};

/* The frame that was on the stack of a trouble, counted from the innermost one that led there (1). NULL: it is not
 * there. */
const struct guest_frame *said_frame(const struct guest_trouble *t, size_t back);

/* A trouble, which is described, begins on a stack: what is said from now on there is about it. */
void said_begin(const struct said *s, const struct replay_stack *stack, struct guest_trouble *t);

/* The kernel logged something. stack: NULL: not known. */
void said_message(struct said *s, struct guest_story *g, const struct replay_stack *stack, const struct data_message *m,
                  uint64_t now);

/* Adds "the kernel said:" and the lines of a trouble; what it said last, where a guest ended without any. */
void said_print(struct buf *out, const struct guest_said *said);
void said_print_last(struct buf *out, const struct guest_story *g);

/* Adds the member `messages`. */
void said_json(struct jsonl *j, const struct guest_said *said);

#endif
