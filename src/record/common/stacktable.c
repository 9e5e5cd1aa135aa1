/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/common/stacktable.h>

#include <errno.h>
#include <stdlib.h>

#define DEFINE_BYTES (512u << 20) /* of stacks in one recording */

int stack_table_init(struct stack_table *table, unsigned depth)
{
	*table = (struct stack_table){.depth = depth, .key = calloc((size_t)depth + 1, sizeof(*table->key))};
	return table->key ? 0 : -ENOMEM;
}

void stack_table_release(struct stack_table *table)
{
	intern_release(&table->known);
	free(table->key);
	*table = (struct stack_table){0};
}

bool stack_frame_returns(const struct unwind_frame *frame, size_t i)
{
	return i && !(frame->flags & (UNWIND_EXACT | UNWIND_SIGNAL));
}

int stack_table_number(struct stack_table *table, const struct code_maps *maps, const struct unwind_frame *frames,
                       size_t n, struct stack_number *number)
{
	int err = 0;

	table->key[0] = maps->set;
	/* Behind the first one all are recorded as what a call returns to. */
	for (size_t i = 0; i < n; i++)
		table->key[i + 1] = frames[i].pc + (i && !stack_frame_returns(&frames[i], i));
	number->frames = (uint32_t)n;
	err = intern(&table->known, table->key, (n + 1) * sizeof(*table->key), &number->id, &number->fresh);
	number->id += table->before;
	return err;
}

bool stack_table_full(const struct stack_table *table)
{
	return table->defined > DEFINE_BYTES;
}

void stack_table_define(struct stack_table *table, const struct code_files *files, const struct stack_number *number)
{
	struct data_event event = {
		.type = DATA_STACK,
		.stack = {.id = number->id, .mapset = table->key[0], .n = number->frames, .frames = table->key + 1},
	};

	table->defined += number->frames * sizeof(uint64_t);
	files->define(files->user, &event);
	if (stack_table_full(table)) {
		static const char text[] = "too many different stacks: none are recorded from here on";

		event = (struct data_event){.type = DATA_NOTE, .note = {text, sizeof(text) - 1}};
		files->define(files->user, &event);
	}
}

void stack_table_forget(struct stack_table *table)
{
	table->before += table->known.n;
	intern_release(&table->known);
}
