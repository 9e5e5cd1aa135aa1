/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kexec_load(2). */
#include <exectrace/target/decode/calls/calls.h>

#include <linux/kexec.h>

/* aux: the register with the number of segments. */
void print_kexec_segments(struct printer *p, uint64_t value, unsigned aux)
{
	const unsigned structure = STRUCT_u_kexec_segment;
	struct array array = {.addr = value, .n = call_arg(p, aux), .print = print_struct};

	array.size = struct_size(p, structure);
	array.aux = structure;
	if (array.n > KEXEC_SEGMENT_MAX)
		put_addr(p, value);
	else
		put_array(p, &array);
}

void print_kexec_flags(struct printer *p, uint64_t value, unsigned aux)
{
	(void)aux;
	put_enum(p, value & KEXEC_ARCH_MASK, SET_u_kexec_arch);
	if (!(value & ~(uint64_t)KEXEC_ARCH_MASK))
		return;
	put_text(p, "|");
	put_flags(p, value & ~(uint64_t)KEXEC_ARCH_MASK, SET_kexec);
}
