/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of an ELF file, out of all its symbol tables. */
#include "private.h"

#include <exectrace/base/bound.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MAX (16u << 20) /* of one file */
#define NEIGHBOURS 32           /* symbols before an address that are looked at for one that reaches over it */

void elf_add_symbol(struct elf *elf, struct elf_symbol symbol)
{
	if (elf->n_symbols < SYMBOLS_MAX &&
	    !grow_array((void **)&elf->symbols, elf->n_symbols, &elf->cap_symbols, sizeof(*elf->symbols)))
		elf->symbols[elf->n_symbols++] = symbol;
}

/* Labels of the assembler, and those that mark code and data on ARM and RISC-V. */
static bool is_label(const char *name)
{
	return !*name || strncmp(name, ".L", 2) == 0 || (name[0] == '$' && name[1] && strchr("adtx", name[1]));
}

static unsigned underscores(const char *name)
{
	unsigned n = (unsigned)strspn(name, "_");

	return n < 15 ? n : 15;
}

/* Global before weak before local; with a size before without; and then `write` rather than `__write`. */
static uint32_t rank(const struct elf_entry *entry, const char *name)
{
	unsigned bind = ELF64_ST_BIND(entry->info);
	uint32_t by_bind = bind == STB_LOCAL ? 2 : bind == STB_WEAK ? 1 : 0;

	return by_bind << 8 | (entry->size ? 0u : 1u << 7) | underscores(name);
}

/* The section a symbol is in, when that is one with code. sections: of the file that has the symbol. */
static bool code_section(const struct elf *elf, const struct elf_entry *entry, struct elf_section *section)
{
	return entry->section != SHN_UNDEF && entry->section < SHN_LORESERVE &&
	       elf_section(elf, entry->section, section) && (section->flags & SHF_EXECINSTR);
}

static void take(struct elf *to, const struct elf *from, const struct elf_entry *entry, const char *name)
{
	unsigned type = ELF64_ST_TYPE(entry->info);
	bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
	struct elf_section section = {.size = 0};
	uint64_t end = entry->value + entry->size;
	bool code = code_section(from, entry, &section);

	if (entry->section == SHN_UNDEF || entry->section == SHN_ABS || is_label(name))
		return;
	/* Functions of the assembler often have no type. */
	if (!function && (type != STT_NOTYPE || !code))
		return;
	if (!entry->size)
		end = code && entry->value - section.addr < section.size ? section.addr + section.size
		                                                         : entry->value + 1;
	if (end > entry->value)
		elf_add_symbol(to, (struct elf_symbol){entry->value, end, name, rank(entry, name), entry->size != 0});
}

/* Adds the functions of one table. */
static void take_table(struct elf *to, const struct elf *from, const struct elf_section *table)
{
	struct elf_section names;
	struct elf_entry entry;

	if (!elf_section(from, table->link, &names) || names.type != SHT_STRTAB)
		return;
	for (uint64_t i = 1; elf_entry(from, table, i, &entry); i++) {
		const char *name = NULL;

		if (entry.name < names.size)
			name = elf_string(from, names.offset + entry.name, names.offset + names.size);
		if (name)
			take(to, from, &entry, name);
	}
}

static void take_tables(struct elf *to, const struct elf *from)
{
	struct elf_section s;

	for (size_t i = 1; i < from->file.n_sections; i++)
		if (elf_section(from, i, &s) && (s.type == SHT_SYMTAB || s.type == SHT_DYNSYM))
			take_table(to, from, &s);
}

static int by_start(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Sorts, leaves one symbol an address, and ends those without a size where the next one begins. */
static void settle(struct elf *elf)
{
	size_t n = 0;

	if (!elf->n_symbols)
		return;
	qsort(elf->symbols, elf->n_symbols, sizeof(*elf->symbols), by_start);
	for (size_t i = 0; i < elf->n_symbols; i++) {
		struct elf_symbol *last = n ? &elf->symbols[n - 1] : NULL;
		const struct elf_symbol *next = &elf->symbols[i];

		if (last && last->start == next->start) {
			if (!last->sized && next->sized) {
				last->end = next->end;
				last->sized = true;
			}
			continue;
		}
		if (last && !last->sized && last->end > next->start)
			last->end = next->start;
		elf->symbols[n++] = *next;
	}
	elf->n_symbols = n;
}

static void load(struct elf *elf)
{
	elf->loaded = true;
	take_tables(elf, elf);
	elf->mini = elf_unpack_mini(elf);
	if (elf->mini)
		take_tables(elf, elf->mini);
	if (elf->debug)
		take_tables(elf, elf->debug);
	elf_add_plt(elf);
	settle(elf);
}

const struct elf_symbol *elf_symbols(struct elf *elf, size_t *n)
{
	if (!elf->loaded)
		load(elf);
	*n = elf->n_symbols;
	return elf->symbols;
}

const struct elf_symbol *elf_lookup(struct elf *elf, uint64_t vaddr)
{
	size_t n = 0;
	const struct elf_symbol *all = elf_symbols(elf, &n);
	size_t before = BOUND_ABOVE(all, n, start, vaddr);

	/* The last that begins before it may be a part of, or lie within, a longer one. */
	for (size_t i = 0; i < NEIGHBOURS && i < before; i++)
		if (vaddr < all[before - 1 - i].end)
			return &all[before - 1 - i];
	return NULL;
}

bool elf_has_symtab(const struct elf *elf)
{
	struct elf_section s;

	for (size_t i = 1; i < elf->file.n_sections; i++)
		if (elf_section(elf, i, &s) && s.type == SHT_SYMTAB)
			return true;
	return false;
}

void elf_set_debug(struct elf *elf, struct elf *debug)
{
	elf_unref(elf->debug);
	elf->debug = debug;
}
