/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks as they are recorded, each under a number: the same set of maps and the same frames, the same number. */
#ifndef EXECTRACE_RECORD_COMMON_STACKTABLE_H
#define EXECTRACE_RECORD_COMMON_STACKTABLE_H

#include <exectrace/record/common/codemaps.h>

struct stack_number {
	uint64_t id;
	uint32_t frames;
	bool fresh; /* it was not known before */
};

struct stack_table {
	unsigned depth; /* frames of a stack at most */
	uint64_t *key;  /* private: the set of maps, and depth frames */
	struct intern known;
	uint64_t before;  /* numbers given before `known` started over */
	uint64_t defined; /* bytes of the frames that were defined */
};

/* A table for stacks of at most `depth` frames. 0 or -ENOMEM; stack_table_release in any case. */
int stack_table_init(struct stack_table *table, unsigned depth);
void stack_table_release(struct stack_table *table);

/* True when a frame is a return address: the function is that of the byte before it. i: its place, 0 the innermost. */
bool stack_frame_returns(const struct unwind_frame *frame, size_t i);

/* The number of n frames, at most `depth`. 0 or -ENOMEM. */
int stack_table_number(struct stack_table *table, const struct code_maps *maps, const struct unwind_frame *frames,
                       size_t n, struct stack_number *number);

/* True when so many stacks were defined that a reader, who holds them all, should be given no more. */
bool stack_table_full(const struct stack_table *table);

/* Defines the stack that stack_table_number was asked for last; with the last one that fits, a note says so. */
void stack_table_define(struct stack_table *table, const struct code_files *files, const struct stack_number *number);

/* Forgets all stacks: other numbers are given from now on. */
void stack_table_forget(struct stack_table *table);

#endif
