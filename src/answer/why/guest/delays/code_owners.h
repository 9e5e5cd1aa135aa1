/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose code a function of a guest is, and for whom it ran. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_DELAYS_CODE_OWNERS_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_DELAYS_CODE_OWNERS_H

#include <exectrace/answer/replay/replay.h>

enum code_owner {
	OF_UNKNOWN = 1,
	OF_KERNEL, /* or one of its modules */
	OF_LIBRARY,
	OF_PROGRAM,
};

/* All 0 at first, but for the replay. */
struct code_owners {
	struct replay *replay;
	uint8_t *list; /* private: by function; 0: not looked at yet */
	size_t n;
	int err; /* sticky: -ENOMEM */
};

/* Whose it is, by its number. */
unsigned code_owners_of(struct code_owners *o, uint32_t function);

/*
 * The nearest function around one of the kernel or of a library that is of another module: who had that work done; of
 * the kernel alone, the function of the program that called it. What is around a program's is what its process executed
 * before. around: how many frames of the stack are around it. REPLAY_UNKNOWN: there is none.
 */
uint32_t code_owners_around(struct code_owners *o, const struct replay_stack *stack, uint32_t around,
                            uint32_t function);

void code_owners_release(struct code_owners *o);

#endif
