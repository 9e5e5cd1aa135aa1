/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of PLT entries (x86). An entry jumps through a slot of the GOT; the relocation of that slot has the symbol. So
 * the code is read, which works for every kind of PLT (.plt, .plt.sec, .plt.got, in any order).
 */
#include "private.h"

#include <exectrace/base/grow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_MAX 1000000u
#define ENTRY_MIN 8u
#define ENTRY_MAX 64u

/* A slot of the GOT. */
struct elfplt_slot {
	uint64_t addr;
	const char *name;
};

struct slots {
	struct elfplt_slot *items;
	size_t n, cap;
};

static void add_slot(struct slots *slots, uint64_t addr, const char *name)
{
	if (slots->n < SLOTS_MAX && !grow_array((void **)&slots->items, slots->n, &slots->cap, sizeof(*slots->items)))
		slots->items[slots->n++] = (struct elfplt_slot){addr, name};
}

static int by_addr(const void *a, const void *b)
{
	const struct elfplt_slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Reads relocation i: what it is applied to, and the symbol. False when there are no more. */
static bool relocation(const struct elf *elf, const struct elf_section *s, uint64_t i, uint64_t *addr, uint64_t *symbol)
{
	size_t each = elf->file.word * (s->type == SHT_RELA ? 3 : 2);
	const unsigned char *p = i < s->size / each ? elf_bytes(elf, s->offset + i * each, each) : NULL;
	uint64_t info = 0;

	if (!p)
		return false;
	*addr = elf_number(p, elf->file.word);
	info = elf_number(p + elf->file.word, elf->file.word);
	*symbol = elf->file.word == 8 ? ELF64_R_SYM(info) : ELF32_R_SYM(info);
	return true;
}

static void add_slots(const struct elf *elf, const struct elf_section *relocations, struct slots *slots)
{
	struct elf_section table, names;
	uint64_t addr = 0, symbol = 0;

	if (!elf_section(elf, relocations->link, &table) || !elf_section(elf, table.link, &names))
		return;
	for (uint64_t i = 0; relocation(elf, relocations, i, &addr, &symbol); i++) {
		struct elf_entry entry;
		const char *name = NULL;

		if (symbol && elf_entry(elf, &table, symbol, &entry) && entry.name < names.size)
			name = elf_string(elf, names.offset + entry.name, names.offset + names.size);
		if (name && *name)
			add_slot(slots, addr, name);
	}
}

/* The slot that the entry of n bytes at p, whose address is vaddr, jumps through. got: of .got.plt. */
static bool jumps_through(const struct elf *elf, const unsigned char *p, size_t n, const uint64_t at[2], uint64_t *slot)
{
	uint64_t vaddr = at[0], got = at[1];

	for (size_t i = 0; i + 6 <= n; i++) {
		int64_t number = (int32_t)elf_number(p + i + 2, 4);

		if (p[i] != 0xff || (p[i + 1] != 0x25 && p[i + 1] != 0xa3))
			continue;
		if (elf->file.machine == EM_X86_64)
			*slot = vaddr + i + 6 + (uint64_t)number;
		else
			*slot = p[i + 1] == 0x25 ? (uint32_t)number : (uint32_t)(got + (uint64_t)number);
		return true;
	}
	return false;
}

static void name_entry(struct elf *elf, const char *name, uint64_t start, uint64_t size)
{
	char *text = NULL;

	if (asprintf(&text, "%s@plt", name) < 0)
		return;
	if (strv_push(&elf->names, text) == 0)
		elf_add_symbol(elf, (struct elf_symbol){start, start + size, elf->names.items[elf->names.n - 1], 1 << 9,
		                                        true});
	free(text);
}

/* Names the entries of one section of the PLT. */
static void name_section(struct elf *elf, const struct elf_section *s, const struct slots *slots, uint64_t got)
{
	const unsigned char *code = elf_bytes(elf, s->offset, s->size);
	uint64_t each = s->entsize >= ENTRY_MIN && s->entsize <= ENTRY_MAX ? s->entsize : 16;

	for (uint64_t at = 0; code && s->size >= each && at <= s->size - each; at += each) {
		struct elfplt_slot key = {0, NULL};
		const struct elfplt_slot *found = NULL;

		if (jumps_through(elf, code + at, each, (uint64_t[2]){s->addr + at, got}, &key.addr))
			found = bsearch(&key, slots->items, slots->n, sizeof(key), by_addr);
		if (found)
			name_entry(elf, found->name, s->addr + at, each);
	}
}

void elf_add_plt(struct elf *elf)
{
	struct slots slots = {NULL, 0, 0};
	struct elf_section s;
	uint64_t got = 0;

	if (elf->file.machine != EM_X86_64 && elf->file.machine != EM_386)
		return;
	if (elf_section_named(elf, ".got.plt", &s) || elf_section_named(elf, ".got", &s))
		got = s.addr;
	for (size_t i = 1; i < elf->file.n_sections; i++)
		if (elf_section(elf, i, &s) && (s.type == SHT_RELA || s.type == SHT_REL) && (s.flags & SHF_ALLOC))
			add_slots(elf, &s, &slots);
	if (slots.n)
		qsort(slots.items, slots.n, sizeof(*slots.items), by_addr);
	for (size_t i = 1; slots.n && i < elf->file.n_sections; i++)
		if (elf_section(elf, i, &s) && s.type == SHT_PROGBITS && strncmp(s.name, ".plt", 4) == 0)
			name_section(elf, &s, &slots, got);
	free(slots.items);
}
