/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers for byte strings: the same one for the same bytes. For who writes records, to give stacks, files and
 * functions their identifiers, and to define each once.
 */
#ifndef EXECTRACE_FORMAT_DATA_INTERN_H
#define EXECTRACE_FORMAT_DATA_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern_entry;

struct intern {
	struct intern_entry **slots; /* a table of cap, open addressing */
	size_t n, cap;
	size_t bytes; /* held in all */
};

#define INTERN_INIT ((struct intern){0})

/*
 * The number of n bytes in *id: 1, 2, 3, ... in the order in which they came first; *fresh tells whether that was now.
 * 0 or -ENOMEM.
 */
int intern(struct intern *table, const void *bytes, size_t n, uint64_t *id, bool *fresh);

/* Forgets and frees everything; the numbers start over. */
void intern_release(struct intern *table);

#endif
