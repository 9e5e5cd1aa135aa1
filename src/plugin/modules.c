/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "modules.h"

#include <elf.h>
#include <exectrace/base/buf.h>
#include <exectrace/base/cleanup.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 56 /* MODULE_NAME_LEN of 64-bit kernels */
#define SYMBOLS_MAX (1u << 18)
#define NAMES_MAX (16u << 20)
#define PAGE 4096

static bool get(const struct guest_memory *memory, uint64_t address, void *to, size_t n)
{
	return memory->read(memory->user, address, to, n);
}

static bool is_function(const Elf64_Sym *symbol)
{
	return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF && symbol->st_value >> 63;
}

/* Reads the names, page by page, as far as the symbols need them and they are there. */
static char *read_names(const struct guest_memory *memory, uint64_t address, const Elf64_Sym *symbols, size_t n,
                        size_t *size)
{
	char *names = NULL;
	size_t want = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		if (is_function(&symbols[i]) && symbols[i].st_name < NAMES_MAX && symbols[i].st_name >= want)
			want = symbols[i].st_name + 1;
	}
	want = want ? want + PAGE : 0; /* the last name has an end somewhere */
	names = want ? calloc(want + 1, 1) : NULL;
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

static int by_address(const void *a, const void *b)
{
	const struct module_symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Keeps the functions among the symbols. */
static void take_symbols(struct module *m, const Elf64_Sym *symbols, size_t n, size_t names_size)
{
	for (size_t i = 0; i < n; i++) {
		struct module_symbol *to = &m->symbols[m->n];

		if (!is_function(&symbols[i]) || symbols[i].st_name >= names_size || !m->names[symbols[i].st_name])
			continue;
		to->address = symbols[i].st_value;
		to->size = symbols[i].st_size;
		to->name = m->names + symbols[i].st_name;
		m->n++;
	}
	qsort(m->symbols, m->n, sizeof(*m->symbols), by_address);
	if (m->n) {
		const struct module_symbol *last = &m->symbols[m->n - 1];

		m->start = m->symbols[0].address;
		m->end = last->address + (last->size <= UINT64_MAX - last->address ? last->size : 0);
	}
}

/* The symbols of a module, out of its struct mod_kallsyms. */
static bool read_symbols(struct module *m, const struct types *types, const struct guest_memory *memory, uint64_t at)
{
	cleanup_free Elf64_Sym *symbols = NULL;
	uint64_t table = 0, names = 0;
	uint32_t n = 0;
	size_t names_size = 0;

	if (!get(memory, at + types->kallsyms_symbols, &table, sizeof(table)) ||
	    !get(memory, at + types->kallsyms_names, &names, sizeof(names)) ||
	    !get(memory, at + types->kallsyms_count, &n, sizeof(n)) || !n || n > SYMBOLS_MAX)
		return false;
	symbols = malloc(n * sizeof(*symbols));
	m->symbols = calloc(n, sizeof(*m->symbols));
	if (!symbols || !m->symbols || !get(memory, table, symbols, n * sizeof(*symbols)))
		return false;
	m->names = read_names(memory, names, symbols, n, &names_size);
	if (m->names)
		take_symbols(m, symbols, n, names_size);
	return m->n > 0;
}

static void forget(struct module *m)
{
	free(m->symbols);
	free(m->names);
	free(m);
}

/* Another module is where these were: they have gone. Their names stay, since functions have them. */
static void replace(struct modules *modules, const struct module *by)
{
	for (struct module *m = modules->first; m; m = m->next) {
		if (m->n && m->start < by->end && by->start < m->end)
			m->n = 0;
	}
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
	(void)snprintf(shown, sizeof(shown), "[%s]", name);
	m->origin = functions_origin(functions, shown, m->start, m->end - m->start);
	replace(modules, m);
	m->next = modules->first;
	modules->first = m;
	modules->n++;
	return m;
}

bool modules_look(const struct modules *modules, uint64_t address, struct function *function)
{
	const struct module_symbol want = {.address = address}, *found = NULL;

	for (const struct module *m = modules->first; m; m = m->next) {
		if (!m->n || address < m->start || address >= m->end)
			continue;
		found = bsearch(&want, m->symbols, m->n, sizeof(want), by_address);
		if (!found)
			continue;
		*function = (struct function){.origin = m->origin,
		                              .address = address,
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
	modules->n = 0;
}
