/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

static bool is_function(const Elf64_Sym *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF && symbol->st_value;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

bool symbols_take(struct symbols *table, const Elf64_Sym *symbols, size_t n, char *names, size_t names_size)
{
	*table = (struct symbols){.names = names, .items = calloc(n ? n : 1, sizeof(*table->items))};
	for (size_t i = 0; table->items && i < n; i++) {
		if (!is_function(&symbols[i]) || symbols[i].st_name >= names_size || !names[symbols[i].st_name])
			continue;
		table->items[table->n++] =
			(struct symbol){symbols[i].st_value, symbols[i].st_size, names + symbols[i].st_name};
	}
	if (table->n)
		qsort(table->items, table->n, sizeof(*table->items), by_address);
	return table->n > 0;
}

const struct symbol *symbols_at(const struct symbols *table, uint64_t address)
{
	size_t low = 0, high = table->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->items[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->n && table->items[low].address == address ? &table->items[low] : NULL;
}

void symbols_release(struct symbols *table)
{
	free(table->items);
	free(table->names);
	*table = (struct symbols){0};
}
