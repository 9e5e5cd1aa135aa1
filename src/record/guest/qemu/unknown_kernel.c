/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guests that are not Linux, or a Linux without symbols in its memory: what calls what is told by addresses, at each
 * call and return, as it is for programs whose file is not known. Where a file has symbols for these addresses they are
 * used.
 */
#include "private.h"
#include <exectrace/record/guest/core/say.h>

#include <errno.h>
#include <string.h>

/* Symbols of a Linux are for kernel_find, which finds out where they are. */
static void take_names(struct plugin *p)
{
	int rc = p->kernel.file ? kernel_file_read(&p->names, p->kernel.file) : -1;

	if (rc && p->options.linux_kernel) /* kernel_find says why */
		return;
	if (rc && p->kernel.file)
		plugin_say("%s: %s: not used", p->kernel.file,
		           rc == -EBADMSG ? "neither a file with symbols nor a System.map" : strerror(-rc));
	if (!rc && p->options.linux_kernel && kallsyms_find(&p->names.table, "linux_banner")) {
		kernel_file_release(&p->names);
		p->names = (struct kernel_file){0};
		return;
	}
}

bool unknown_kernel_is(struct plugin *p, struct qemu_tb *tb, uint64_t address)
{
	if (p->plain)
		return true;
	if (p->options.linux_kernel && !kernel_address(address))
		return false;
	if (!p->guest) {
		p->guest = functions_origin(&p->functions, "[guest]", 0, 0);
		take_names(p);
	}
	if (p->names.table.n || !p->options.linux_kernel) { /* there is nothing more to look for */
		p->kernel.file = NULL;
		p->kernel.tries = 0;
	}
	p->plain = p->guest != NULL;
	if (p->plain && p->phase)
		p->qemu.on_tb(tb, callback_kernel, QEMU_NO_REGISTERS, NULL);
	return p->plain;
}

struct function *unknown_kernel_function(struct plugin *p, uint64_t address)
{
	struct function want = {.origin = p->guest, .address = address};
	const struct kallsym *symbol = p->names.table.n ? kallsyms_function(&p->names.table, address) : NULL;

	if (symbol && symbol->address == address) {
		want.name = kallsyms_name(&p->names.table, symbol);
		want.size = kallsyms_end(&p->names.table, symbol) - address;
	}
	return functions_get(&p->functions, &want);
}
