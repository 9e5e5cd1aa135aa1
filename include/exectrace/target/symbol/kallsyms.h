/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol table that a Linux kernel carries in its own memory (kernel/kallsyms.c, scripts/kallsyms.c): found and
 * read from an image of that memory, with nothing else known about the kernel. Names are stored as tokens; the table
 * is found by that of the ten digits. Layouts of Linux 4.6 to 7.2 with CONFIG_KALLSYMS_BASE_RELATIVE (which later ones
 * always have) are understood, which is what 64-bit kernels have. The memory may be hostile and may change while it is
 * read: everything is copied once and checked, and the work is bounded.
 */
#ifndef EXECTRACE_TARGET_SYMBOL_KALLSYMS_H
#define EXECTRACE_TARGET_SYMBOL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where an image is read from: offsets begin at 0. */
struct kallsyms_memory {
	uint64_t size;    /* bytes */
	uint64_t address; /* at which the kernel has the first one; 0: not known, Linux 7 is not understood then */
	void *user;
	/* Copies n bytes at `offset`, all of which are below size. False: cannot be read. */
	bool (*read)(void *user, uint64_t offset, void *to, size_t n);
};

struct kallsym {
	uint64_t address;
	uint32_t name; /* offset into the names */
	char type;     /* as nm(1) has it */
	bool module;   /* the name of its module stands behind its own: kallsyms_module */
};

struct kallsyms {
	struct kallsym *items; /* by address, then in the order of the kernel's table */
	size_t n;
	char *names; /* each ended by a NUL */
	size_t names_size;
};

#define KALLSYMS_MAX 4000000 /* symbols */

/* Finds and reads the table. 0 with *ret set; -ENOENT: there is none that is whole; -ENOMEM. */
int kallsyms_read(const struct kallsyms_memory *memory, struct kallsyms *ret);

/* Puts a table that was made otherwise into the order of its addresses; equal ones by their names. */
void kallsyms_sort(struct kallsyms *table);

/*
 * Adds those of another table that are not there yet by address and name. `slide` is added to its addresses from
 * `start` on; what is below, such as what each CPU has of its own, does not move. 0 or -ENOMEM, with the table as it
 * was.
 */
int kallsyms_merge(struct kallsyms *table, const struct kallsyms *more, uint64_t start, uint64_t slide);

/* A line of /proc/kallsyms or a System.map: "ffffffff81000000 T _text", perhaps with a tab and "[module]" behind it. */
struct kallsyms_line {
	uint64_t address;
	char type;
	const char *name, *module;       /* in the text, without a NUL */
	size_t name_bytes, module_bytes; /* module_bytes is 0 when it has none */
};

/* Takes the line from `at` to before `end`, which has no newline, apart. False: it is none. */
bool kallsyms_line(const char *at, const char *end, struct kallsyms_line *line);

/*
 * Reads the text of /proc/kallsyms (proc(5)) or a System.map, n bytes. 0 with *ret set; -EACCES: it shows
 * no addresses (kernel.kptr_restrict); -EBADMSG: a line is none of it; -ENOMEM.
 */
int kallsyms_parse(const char *text, size_t n, struct kallsyms *ret);

/* Frees what it holds. */
void kallsyms_release(struct kallsyms *table);

/* The name of a symbol. */
const char *kallsyms_name(const struct kallsyms *table, const struct kallsym *symbol);

/* The name of its module, where the text of /proc/kallsyms told one; "" otherwise. */
const char *kallsyms_module(const struct kallsyms *table, const struct kallsym *symbol);

/* The last symbol at or before address, the first one of those at the same address; NULL: none. */
const struct kallsym *kallsyms_lookup(const struct kallsyms *table, uint64_t address);

/* Likewise among functions only: types t, T, w, W. */
const struct kallsym *kallsyms_function(const struct kallsyms *table, uint64_t address);

/* The first address behind `symbol` at which another one begins; its own when there is none. */
uint64_t kallsyms_end(const struct kallsyms *table, const struct kallsym *symbol);

/* The symbol of a name at an address; NULL: none. */
const struct kallsym *kallsyms_at(const struct kallsyms *table, uint64_t address, const char *name);

/* The symbol of a name; NULL: none. Looks at all of them. */
const struct kallsym *kallsyms_find(const struct kallsyms *table, const char *name);

#endif
