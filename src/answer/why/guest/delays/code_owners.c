/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code_owners.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define AROUND_MAX 24u /* calls that are looked at */

unsigned code_owners_of(struct code_owners *o, uint32_t function)
{
	const char *module;

	if (__builtin_expect(function < o->n && o->list[function], 1))
		return o->list[function];
	module = replay_function(o->replay, function)->module;
	if (function >= o->n && widen_array((void **)&o->list, &o->n, function, 1)) {
		o->err = -ENOMEM;
		return OF_UNKNOWN;
	}
	o->list[function] = !*module                ? OF_UNKNOWN
	                    : *module == '['        ? OF_KERNEL
	                    : strstr(module, ".so") ? OF_LIBRARY
	                                            : OF_PROGRAM;
	return o->list[function];
}

/* The innermost function of a program that called the kernel, or that an interrupt stopped. */
static uint32_t called_from(struct code_owners *o, const struct replay_stack *kernel)
{
	const struct replay_stack *program = kernel->below;

	if (!program || !kernel->pid || program->pid != kernel->pid)
		return REPLAY_UNKNOWN;
	for (uint32_t i = program->depth, n = 0; i-- > 0 && n < AROUND_MAX; n++)
		if (code_owners_of(o, program->frames[i].function) == OF_PROGRAM)
			return program->frames[i].function;
	return REPLAY_UNKNOWN;
}

uint32_t code_owners_around(struct code_owners *o, const struct replay_stack *stack, uint32_t around, uint32_t function)
{
	const struct replay_function *inner = replay_function(o->replay, function);

	if (code_owners_of(o, function) == OF_PROGRAM)
		return REPLAY_UNKNOWN;
	for (uint32_t i = around, n = 0; i-- > 0 && n < AROUND_MAX; n++) {
		const struct replay_function *f = replay_function(o->replay, stack->frames[i].function);

		if (*f->module && f->module != inner->module && strcmp(f->module, inner->module) != 0)
			return f->number;
		if (stack->frames[i].interrupt)
			return i ? REPLAY_UNKNOWN : called_from(o, stack);
	}
	return code_owners_of(o, function) == OF_KERNEL ? called_from(o, stack) : REPLAY_UNKNOWN;
}

void code_owners_release(struct code_owners *o)
{
	free(o->list);
	o->list = NULL;
	o->n = 0;
}
