/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/modules.h>

#include <elf.h>
#include <exectrace/base/bound.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/symbol/btf.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME_SIZE 56 /* MODULE_NAME_LEN of 64-bit kernels */
#define SYMBOLS_MAX (1u << 18)
#define NAMES_MAX (16u << 20)
#define PAGE 4096
#define TYPES_MAX (16u << 20)

static bool get(const struct guest_memory *memory, uint64_t address, void *to, size_t n)
{
	return memory->read(memory->user, address, to, n);
}

/* Reads the names, page by page, as far as the symbols need them and they are there. */
static char *read_names(const struct guest_memory *memory, uint64_t address, const Elf64_Sym *symbols, size_t n,
                        size_t *size)
{
	char *names = NULL;
	size_t want = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		if (symbols[i].st_name < NAMES_MAX && symbols[i].st_name >= want)
			want = symbols[i].st_name + 1;
	}
	want += PAGE; /* the last name has an end somewhere */
	names = calloc(want + 1, 1);
	while (names && at < want) {
		size_t part = PAGE - (address + at) % PAGE;

		if (part > want - at)
			part = want - at;
		if (!get(memory, address + at, names + at, part))
			break;
		at += part;
	}
	*size = at;
	return names;
}

/* The symbols of a module, out of its struct mod_kallsyms. */
static bool read_symbols(struct module *m, const struct types *types, const struct guest_memory *memory, uint64_t at)
{
	cleanup_free Elf64_Sym *symbols = NULL;
	struct elf_table found = {.word = sizeof(uint64_t)};
	uint64_t table = 0, names_at = 0;
	uint32_t n = 0;

	if (!get(memory, at + types->kallsyms_symbols, &table, sizeof(table)) ||
	    !get(memory, at + types->kallsyms_names, &names_at, sizeof(names_at)) ||
	    !get(memory, at + types->kallsyms_count, &n, sizeof(n)) || !n || n > SYMBOLS_MAX)
		return false;
	symbols = malloc(n * sizeof(*symbols));
	if (!symbols || !get(memory, table, symbols, n * sizeof(*symbols)))
		return false;
	found.symbols = (unsigned char *)symbols;
	found.n = n;
	found.names = read_names(memory, names_at, symbols, n, &found.names_size);
	return found.names && symbols_take(&m->symbols, &found);
}

static void find_extent(struct module *m)
{
	const struct symbol *last = &m->symbols.items[m->symbols.n - 1];
	uint64_t room = UINT64_MAX - last->address;

	m->start = m->symbols.items[0].address;
	m->end = last->address + (last->size < room ? last->size : room) + 1;
}

/* Types of a module, on top of `base`; NULL: they cannot be read. */
static struct btf *read_types(const struct guest_memory *memory, uint64_t address, uint64_t size_at,
                              const struct btf *base, char **bytes)
{
	struct btf *btf = NULL;
	uint64_t at = 0;
	uint32_t n = 0;

	if (!get(memory, address, &at, sizeof(at)) || !get(memory, size_at, &n, sizeof(n)) || !n || n > TYPES_MAX)
		return NULL;
	*bytes = malloc(n);
	if (*bytes && guest_memory_some(memory, at, *bytes, n) == n && btf_open_split(&btf, base, *bytes, n) == 0)
		return btf;
	free(*bytes);
	*bytes = NULL;
	return NULL;
}

static void types_free(struct module_types *t)
{
	btf_close(t->btf);
	btf_close(t->base);
	free(t->btf_bytes);
	free(t->base_bytes);
	*t = (struct module_types){0};
}

void modules_coming(struct modules *modules, const struct types *types, const struct guest_memory *memory, uint64_t at)
{
	struct module_types *t = &modules->coming;

	types_free(t);
	modules->coming_address = 0;
	if (!types->btf || !types->module_types)
		return;
	/* Those of a module that was built apart from its kernel come with what they need of the kernel's. */
	if (types->module_btf_base != UINT32_MAX)
		t->base = read_types(memory, at + types->module_btf_base, at + types->module_btf_base_size, NULL,
		                     &t->base_bytes);
	t->btf = read_types(memory, at + types->module_btf, at + types->module_btf_size, t->base ? t->base : types->btf,
	                    &t->btf_bytes);
	modules->coming_address = at;
}

/* What was kept for a module is its own now. */
static void take_types(struct module *m, struct modules *modules, uint64_t address)
{
	if (modules->coming_address != address)
		return;
	m->types = modules->coming;
	modules->coming = (struct module_types){0};
	modules->coming_address = 0;
}

static void forget(struct module *m)
{
	types_free(&m->types);
	symbols_release(&m->symbols);
	free(m);
}

const struct module *modules_add(struct modules *modules, const struct types *types, const struct guest_memory *memory,
                                 uint64_t address, struct functions *functions)
{
	struct module *m = modules->n < MODULES_MAX ? calloc(1, sizeof(*m)) : NULL;
	char name[NAME_SIZE + 1] = "", shown[NAME_SIZE + 3];
	uint64_t at = 0;

	if (!m)
		return NULL;
	if (!get(memory, address + types->module_name, name, NAME_SIZE) ||
	    !get(memory, address + types->module_kallsyms, &at, sizeof(at)) || !read_symbols(m, types, memory, at)) {
		forget(m);
		return NULL;
	}
	find_extent(m);
	take_types(m, modules, address);
	(void)snprintf(shown, sizeof(shown), "[%s]", name);
	m->origin = functions_origin(functions, shown, m->start, m->end - m->start);
	for (struct module *old = modules->first; old; old = old->next)
		old->gone |= old->start < m->end && m->start < old->end;
	m->next = modules->first;
	modules->first = m;
	modules->n++;
	return m;
}

/* The function that begins where code at an address is the first of it; NULL: none. */
static const struct symbol *beginning(const struct symbols *table, uint64_t address)
{
	size_t n = BOUND_ABOVE(table->items, table->n, address, address);

	if (n && n < table->n && table->items[n].address - address <= KERNEL_PADDING &&
	    kernel_padding(table->items[n - 1].name))
		return &table->items[n];
	return symbols_at(table, address);
}

bool modules_look(const struct modules *modules, uint64_t address, struct function *function)
{
	for (const struct module *m = modules->first; m; m = m->next) {
		const struct symbol *found = NULL;

		if (!m->gone && address >= m->start && address < m->end)
			found = beginning(&m->symbols, address);
		if (!found)
			continue;
		*function = (struct function){.origin = m->origin,
		                              .address = found->address,
		                              .size = found->size,
		                              .name = found->name};
		return true;
	}
	return false;
}

void modules_release(struct modules *modules)
{
	while (modules->first) {
		struct module *next = modules->first->next;

		forget(modules->first);
		modules->first = next;
	}
	types_free(&modules->coming);
	modules->n = 0;
}
