/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions with names, out of tables of ELF symbols: those of a module, or of a program's file. */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_SYMBOLS_H
#define EXECTRACE_RECORD_GUEST_LINUX_SYMBOLS_H

#include <exectrace/target/symbol/elfheader.h>

struct symbol {
	uint64_t address, size;
	const char *name;
};

struct symbols {
	struct symbol *items; /* by address */
	size_t n;
	char *names; /* what the names point into */
};

/* One table of symbols of a file. */
struct elf_table {
	struct elf_section *sections; /* of the file, without names; NULL: they are not known */
	size_t n_sections;
	unsigned word;          /* bytes of an address */
	unsigned char *symbols; /* as in the file */
	size_t n;
	char *names; /* ended by a NUL behind names_size bytes */
	size_t names_size;
};

/* Symbol i of a table and its name; NULL: it has none. */
const char *symbols_entry(const struct elf_table *table, size_t i, struct elf_entry *entry);

/* Takes the functions of a table, and its names, also on failure. False: there are none, or no memory. */
bool symbols_take(struct symbols *symbols, struct elf_table *table);

/* The function that begins at an address, the first one of several; NULL: none. */
const struct symbol *symbols_at(const struct symbols *table, uint64_t address);

/* Frees all, names too. */
void symbols_release(struct symbols *table);

#endif
