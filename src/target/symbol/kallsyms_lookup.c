/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/bound.h>
#include <exectrace/target/symbol/kallsyms.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_address(const void *a, const void *b)
{
	const struct kallsym *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

void kallsyms_sort(struct kallsyms *table)
{
	if (table->n)
		qsort(table->items, table->n, sizeof(*table->items), by_address);
}

int kallsyms_merge(struct kallsyms *table, const struct kallsyms *more, uint64_t start, uint64_t slide)
{
	struct kallsym *items = malloc((table->n + more->n + 1) * sizeof(*items));
	char *names = malloc(table->names_size + more->names_size + 1);
	size_t n = table->n;

	if (!items || !names || table->names_size + more->names_size > UINT32_MAX) {
		free(items);
		free(names);
		return -ENOMEM;
	}
	memcpy(names, table->names ? table->names : "", table->names_size);
	memcpy(names + table->names_size, more->names, more->names_size);
	if (n)
		memcpy(items, table->items, n * sizeof(*items));
	for (size_t i = 0; i < more->n; i++) {
		struct kallsym symbol = more->items[i];

		if (symbol.address >= start)
			symbol.address += slide;
		if (kallsyms_at(table, symbol.address, more->names + symbol.name))
			continue;
		symbol.name += (uint32_t)table->names_size;
		items[n++] = symbol;
	}
	table->names_size += more->names_size;
	free(table->items);
	free(table->names);
	table->items = items;
	table->names = names;
	table->n = n;
	kallsyms_sort(table);
	return 0;
}

const char *kallsyms_module(const struct kallsyms *table, const struct kallsym *symbol)
{
	const char *name = kallsyms_name(table, symbol);

	return symbol->module ? name + strlen(name) + 1 : "";
}

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
	char type = symbol->type | 0x20; /* as a small letter */

	return type == 't' || type == 'w';
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

const struct kallsym *kallsyms_at(const struct kallsyms *table, uint64_t address, const char *name)
{
	for (size_t i = count_before(table, address); i-- > 0 && table->items[i].address == address;) {
		if (strcmp(kallsyms_name(table, &table->items[i]), name) == 0)
			return &table->items[i];
	}
	return NULL;
}

const struct kallsym *kallsyms_find(const struct kallsyms *table, const char *name)
{
	for (size_t i = 0; i < table->n; i++) {
		const char *other = kallsyms_name(table, &table->items[i]);

		if (*other == *name && strcmp(other, name) == 0)
			return &table->items[i];
	}
	return NULL;
}
