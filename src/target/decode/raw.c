/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call as the registers have it. */
#include "walk.h"
#include <exectrace/target/decode/decode.h>

void put_raw_arguments(struct printer *p, const struct syscall_desc *desc)
{
	unsigned n = decode_registers(desc);

	for (unsigned i = 0; i < n; i++) {
		put_text(p, i ? ", " : "");
		put_hex(p, call_arg(p, i));
	}
	p->state->next = desc->nargs;
}
