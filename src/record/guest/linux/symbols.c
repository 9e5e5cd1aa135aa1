/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/symbols.h>

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

const char *symbols_entry(const struct elf_table *table, size_t i, struct elf_entry *entry)
{
	elf_decode_entry(table->symbols + i * elf_entry_size(table->word), table->word, entry);
	return entry->name < table->names_size && table->names[entry->name] ? table->names + entry->name : NULL;
}

bool symbols_take(struct symbols *symbols, struct elf_table *table)
{
	struct elf_entry e;

	*symbols = (struct symbols){.names = table->names, .items = calloc(table->n + 1, sizeof(*symbols->items))};
	for (size_t i = 0; symbols->items && i < table->n; i++) {
		const char *name = symbols_entry(table, i, &e);

		if (name && is_function(&e))
			symbols->items[symbols->n++] = (struct symbol){e.value, e.size, name};
	}
	table->names = NULL;
	if (symbols->n)
		qsort(symbols->items, symbols->n, sizeof(*symbols->items), by_address);
	return symbols->n > 0;
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
