/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols.h"

#include <elf.h>
#include <exectrace/base/bound.h>
#include <stdlib.h>
#include <string.h>

static bool is_function(const struct elf_entry *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->section != SHN_UNDEF && symbol->value;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

bool symbols_take(struct symbols *table, const void *symbols, unsigned word, size_t n, char *names, size_t names_size)
{
	struct elf_entry e;

	*table = (struct symbols){.names = names, .items = calloc(n ? n : 1, sizeof(*table->items))};
	for (size_t i = 0; table->items && i < n; i++) {
		elf_decode_entry((const char *)symbols + i * elf_entry_size(word), word, &e);
		if (is_function(&e) && e.name < names_size && names[e.name])
			table->items[table->n++] = (struct symbol){e.value, e.size, names + e.name};
	}
	if (table->n)
		qsort(table->items, table->n, sizeof(*table->items), by_address);
	return table->n > 0;
}

const struct symbol *symbols_at(const struct symbols *table, uint64_t address)
{
	/* None is at 0. */
	size_t at = address ? BOUND_ABOVE(table->items, table->n, address, address - 1) : table->n;

	return at < table->n && table->items[at].address == address ? &table->items[at] : NULL;
}

void symbols_release(struct symbols *table)
{
	free(table->items);
	free(table->names);
	*table = (struct symbols){0};
}
