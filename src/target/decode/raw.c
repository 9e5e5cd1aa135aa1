/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call as the registers have it. */
#include "walk.h"

static unsigned registers(const struct printer *p, const struct syscall_desc *desc)
{
	unsigned n = 0;

	for (unsigned i = 0; i < desc->nargs; i++) {
		unsigned kind = desc->args[i].kind;

		if (kind_row(p, kind)->when != AT_EXIT_JOIN)
			n += kind == KIND_POS ? 2 : 1;
	}
	return n < SYSCALL_ARGS ? n : SYSCALL_ARGS;
}

void put_raw_arguments(struct printer *p, const struct syscall_desc *desc)
{
	unsigned n = registers(p, desc);

	for (unsigned i = 0; i < n; i++) {
		put_text(p, i ? ", " : "");
		put_hex(p, call_arg(p, i));
	}
	p->state->next = desc->nargs;
}
