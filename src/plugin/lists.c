/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of functions. What is on none costs nothing where it runs; but the functions that are wanted have to be told
 * from what they call, or its time would be taken for theirs. So a call that is made in one of them and leads to none
 * becomes a call of [filtered], which a return from its slot ends like any other.
 */
#include "private.h"

#include <exectrace/base/bound.h>

/* The last symbol that begins at an address or before it, as far as it reaches. */
static bool symbol_around(const struct symbols *table, uint64_t address, struct function *want)
{
	size_t n = BOUND_ABOVE(table->items, table->n, address, address);
	const struct symbol *symbol = n ? &table->items[n - 1] : NULL;

	/* Several may begin there; the others look for the first. */
	symbol = symbol ? symbols_at(table, symbol->address) : NULL;
	if (!symbol || (symbol->size && address - symbol->address >= symbol->size))
		return false;
	want->address = symbol->address;
	want->size = symbol->size;
	want->name = symbol->name;
	return true;
}

static bool module_around(const struct plugin *p, uint64_t address, struct function *want)
{
	for (const struct module *m = p->modules.first; m; m = m->next) {
		if (m->gone || address < m->start || address >= m->end || !symbol_around(&m->symbols, address, want))
			continue;
		want->origin = m->origin;
		return true;
	}
	return false;
}

static bool kernel_around(const struct plugin *p, uint64_t address, struct function *want)
{
	const struct kallsym *symbol = kallsyms_function(&p->kernel.table, address);

	return symbol && kernel_look(&p->kernel, symbol->address, want) == KERNEL_FUNCTION;
}

static bool program_around(struct plugin *p, const void *host, struct function *want)
{
	const struct programs_context context = {&p->types, &p->pages, &p->functions, &p->kernel, p->options.root};
	struct program_place place;
	uint64_t address, physical = host && p->pages.root ? pages_physical(&p->pages, (uintptr_t)host) : UINT64_MAX;

	if (physical == UINT64_MAX || !programs_find(&p->programs, &context, physical, &place))
		return false;
	address = elfimage_address(&place.program->image, place.offset);
	want->origin = place.program->origin;
	return address && symbol_around(&place.program->image.symbols, address, want);
}

static const struct function *wanted(struct plugin *p, const struct function *want)
{
	const struct function *function = functions_get(&p->functions, want);

	return function && function->what & CONTROL_WANTED ? function : NULL;
}

const struct function *lists_around(struct plugin *p, uint64_t address, const void *host)
{
	struct function want = {0};
	bool known = kernel_address(address) ? kernel_around(p, address, &want) || module_around(p, address, &want)
	                                     : program_around(p, host, &want);

	return known ? wanted(p, &want) : NULL;
}

const struct function *lists_at(struct plugin *p, uint64_t address)
{
	struct function want;

	if (kernel_look(&p->kernel, address, &want) != KERNEL_FUNCTION && !modules_look(&p->modules, address, &want))
		return NULL;
	return functions_get(&p->functions, &want);
}
