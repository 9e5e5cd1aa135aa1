/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that programs of the guest are run from. A page of code is traced back to its file through the kernel's
 * struct page, and what is in the kernel's page cache of that file is read for its symbols; so neither the addresses at
 * which it is mapped nor its process matter.
 */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_PROGRAMS_H
#define EXECTRACE_RECORD_GUEST_LINUX_PROGRAMS_H

#include <exectrace/record/guest/core/functions.h>
#include <exectrace/record/guest/dwarf/debuginfo.h>
#include <exectrace/record/guest/linux/elfimage.h>
#include <exectrace/record/guest/linux/pages.h>
#include <exectrace/record/guest/linux/types.h>

#define PROGRAMS_MAX 16384
#define PROGRAMS_DEBUG_BYTES (256u << 20) /* of debug information that is kept, about */

struct program {
	struct program *next;
	uint64_t mapping; /* the kernel's struct address_space */
	uint64_t inode;   /* its number: the memory of a mapping may be another's later */
	struct origin *origin;
	bool known;              /* it is ELF */
	struct elfimage image;   /* functions have its names: they stay */
	uint64_t size;           /* of the file */
	bool looked;             /* for its debug information */
	struct debuginfo *debug; /* NULL: it has none, or it is not kept any more, ... */
	bool has_debug;          /* ... which this tells */
};

struct programs {
	struct program *first;
	unsigned n;
};

/* A place in a file. */
struct program_place {
	const struct program *program;
	uint64_t offset; /* in the file */
};

/* What is needed to find them. */
struct programs_context {
	const struct types *types;
	struct pages *pages;
	struct functions *functions;
	const struct kernel *kernel; /* its image has the vdso; NULL: not known */
	const char *root;            /* a directory of the host with the guest's files; NULL: none */
};

/* The file and the offset in it of a physical address. False: no file, or it cannot be known. */
bool programs_find(struct programs *programs, const struct programs_context *context, uint64_t physical,
                   struct program_place *place);

/* The function at an offset of the file. False: that is no code. */
bool program_function(const struct program_place *place, struct function *function);

/*
 * Copies n bytes of the file of a place that programs_find has given just now. False: they are not in memory, or in no
 * file.
 */
bool programs_read(const struct programs_context *context, const struct program_place *place, void *to, size_t n);

/*
 * What the debug information of its file, on the host (`root`, see above), tells of a function of a program; it is all
 * the caller's. depth: levels of structures. False: nothing.
 */
bool programs_types(struct programs *programs, const char *root, const struct function *function, unsigned depth,
                    struct debug_function *types);

/* Frees all, names too. */
void programs_release(struct programs *programs);

#endif
