/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of what a listener of seccomp(2) gets and says. */
#include <exectrace/target/decode/structs/structs.h>
#include <exectrace/target/syscalls/names.h>
#include <exectrace/target/syscalls/table.h>

/* The number of a call; whose it is, is in the next field. */
void print_seccomp_nr(struct printer *p, uint64_t value, unsigned aux)
{
	uint32_t audit = (uint32_t)load_number(p->raw + 4, 4);
	const struct arch *arch = arch_by_call(audit, (uint32_t)value);
	const struct syscall_desc *desc = arch ? syscall_by_nr(arch, (uint32_t)value) : NULL;
	bool inner = p->inner;

	(void)aux;
	if (!desc || arch != p->call->arch) {
		put_unsigned(p, value);
		if (desc && p->d->names != DECODE_NAMES_RAW)
			put_format(p, " /* %s */", desc->name);
	} else if (begin_names(p, value, NUMBER_UNSIGNED)) {
		put_format(p, "__NR_%s", desc->name);
		end_names(p, inner);
	}
}

void print_negative_errno(struct printer *p, uint64_t value, unsigned aux)
{
	int error = (int)value;
	const char *name = error < 0 && error > INT32_MIN ? errno_name(-error) : NULL;
	bool inner = p->inner;

	(void)aux;
	if (!name) {
		put_signed(p, error);
	} else if (begin_names(p, value, NUMBER_INT)) {
		put_format(p, "-%s", name);
		end_names(p, inner);
	}
}
