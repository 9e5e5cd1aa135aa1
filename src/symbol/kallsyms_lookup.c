/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/bound.h>
#include <exectrace/symbol/kallsyms.h>

#include <string.h>

const char *kallsyms_name(const struct kallsyms *table, const struct kallsym *symbol)
{
	return table->names + symbol->name;
}

/* How many symbols begin at or before an address. */
static size_t count_before(const struct kallsyms *table, uint64_t address)
{
	return BOUND_ABOVE(table->items, table->n, address, address);
}

static bool is_function(const struct kallsym *symbol)
{
	return strchr("tTwW", symbol->type) != NULL;
}

/* The last one at or before the address that will do, the first of those at its place. */
static const struct kallsym *lookup(const struct kallsyms *table, uint64_t address, bool functions)
{
	const struct kallsym *found = NULL;

	for (size_t i = count_before(table, address); i-- > 0;) {
		const struct kallsym *symbol = &table->items[i];

		if (found && symbol->address != found->address)
			break;
		if (!functions || is_function(symbol))
			found = symbol;
	}
	return found;
}

const struct kallsym *kallsyms_lookup(const struct kallsyms *table, uint64_t address)
{
	return lookup(table, address, false);
}

const struct kallsym *kallsyms_function(const struct kallsyms *table, uint64_t address)
{
	return lookup(table, address, true);
}

uint64_t kallsyms_end(const struct kallsyms *table, const struct kallsym *symbol)
{
	size_t next = count_before(table, symbol->address);

	return next < table->n ? table->items[next].address : symbol->address;
}

const struct kallsym *kallsyms_find(const struct kallsyms *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++) {
		if (strcmp(kallsyms_name(table, &table->items[i]), name) == 0)
			return &table->items[i];
	}
	return NULL;
}
