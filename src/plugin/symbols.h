/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions with names, out of tables of ELF symbols: those of a module, or of a program's file. */
#ifndef EXECTRACE_SRC_PLUGIN_SYMBOLS_H
#define EXECTRACE_SRC_PLUGIN_SYMBOLS_H

#include <exectrace/symbol/elfheader.h>

struct symbol {
	uint64_t address, size;
	const char *name;
};

struct symbols {
	struct symbol *items; /* by address */
	size_t n;
	char *names; /* what the names point into */
};

/*
 * Takes the functions among n symbols of a file with words of 4 or 8 bytes. names (ended by a NUL that names_size does
 * not count) becomes the table's, also on failure. False: there are none, or no memory.
 */
bool symbols_take(struct symbols *table, const void *symbols, unsigned word, size_t n, char *names, size_t names_size);

/* The function that begins at an address, the first one of several; NULL: none. */
const struct symbol *symbols_at(const struct symbols *table, uint64_t address);

/* Frees all, names too. */
void symbols_release(struct symbols *table);

#endif
