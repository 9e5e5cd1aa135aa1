/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a kernel: from System.map, /proc/kallsyms or vmlinux. */
#ifndef EXECTRACE_SRC_RECORD_IMPORT_SYMBOLS_H
#define EXECTRACE_SRC_RECORD_IMPORT_SYMBOLS_H

#include <exectrace/base/buf.h>
#include <exectrace/target/symbol/elf.h>
#include <stddef.h>
#include <stdint.h>

#define RANK_NONE 3 /* data: it only ends the function before it */

struct import_symbol {
	uint64_t start, end; /* end: where the next one begins; 0: it is not known */
	const char *name;
	uint8_t rank; /* of those with the same start the one with the lowest is taken; RANK_NONE: not a function */
};

struct import_symbols {
	struct import_symbol *items; /* functions in order, none overlapping */
	size_t n, cap;
	struct buf names; /* with a NUL behind each */
	struct elf *elf;  /* has the names */
};

#define SYMBOLS_INIT ((struct import_symbols){0})

/* Reads a file. 0; -EBADMSG or -errno with a line in why; -ENOMEM. symbols_release in any case. */
int symbols_read(struct import_symbols *s, const char *path, struct buf *why);
void symbols_release(struct import_symbols *s);

/* The function that holds an address, or NULL. */
const struct import_symbol *symbols_at(const struct import_symbols *s, uint64_t address);

#endif
