/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places in code, each known once: what frames point to. They get their names later, all at a time, when nothing is
 * stopped for that.
 */
#ifndef EXECTRACE_RECORD_COMMON_PLACES_H
#define EXECTRACE_RECORD_COMMON_PLACES_H

#include <exectrace/record/common/codemaps.h>
#include <exectrace/target/symbol/demangle.h>
#include <exectrace/target/symbol/kallsyms.h>
#include <exectrace/target/symbol/symbolize.h>

/*
 * The kernel's code: the upper half of the addresses of 64-bit kernels, up to the page that old programs call. Offsets
 * in its file, and in those of its modules ("[module]"), are addresses.
 */
#define PLACES_KERNEL "[kernel]"
#define PLACES_KERNEL_START (1ull << 63)
#define PLACES_KERNEL_END 0xffffffffff600000ull

struct place {
	uint64_t file;   /* 0: none; then `offset` is the address */
	uint64_t offset; /* of the program counter in the file */
	uint64_t vaddr;  /* of that in the file's own counting, when `biased` */
	bool biased;
	bool caller;  /* a return address: the function is that of the byte before it */
	size_t at, n; /* its text in places.text, once it has a name */
};

struct places {
	struct code_files *files;
	struct symbolizer *symbolizer;
	const struct kallsyms *kernel; /* names of the kernel; NULL: not known */
	bool parameters;               /* texts have the parameters of C++'s functions */
	struct place *items;           /* number N is at N - 1 */
	size_t n, cap;
	size_t named; /* the first so many have names */
	struct intern known;
	struct intern functions; /* those of which a definition was made, by file and address */
	struct buf text;
};

/* The number of the place of a frame at pc in a map (NULL: none). 0 or -ENOMEM. */
int places_add(struct places *places, const struct code_map *map, uint64_t pc, bool caller, uint32_t *number);

/*
 * Gives names to all places: as definitions (DATA_SYMBOLS) when the files have somebody who wants them, as text when
 * not. Files that are not mapped any more are closed. 0 or -ENOMEM.
 */
int places_name(struct places *places);

/* The text of a place that has a name: "file(function+0x12) [0x3456]". */
struct data_text places_text(const struct places *places, uint32_t number);

/* Forgets all places; numbers start over. */
void places_reset(struct places *places);

/* Bytes held. */
size_t places_bytes(const struct places *places);

#endif
