/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which code is mapped where, under numbers that stay: of files, and of the sets of maps that processes had. */
#ifndef EXECTRACE_RECORD_COMMON_CODEMAPS_H
#define EXECTRACE_RECORD_COMMON_CODEMAPS_H

#include <exectrace/format/data/intern.h>
#include <exectrace/format/data/record.h>
#include <exectrace/target/unwind/unwind.h>

/* Is given definitions in the order in which they are needed: DATA_FILE, DATA_MAPSET, DATA_MAP, DATA_STACK, ... */
typedef void stack_define_fn(void *user, struct data_event *event);

/* A file, or what has a name in brackets. */
struct code_file {
	char *path;
	struct elf *elf; /* a reference while it is mapped and until its places have names; NULL: cannot be read */
	unsigned users;  /* sets of maps that have it */
};

struct code_files {
	struct elf_cache *cache;
	struct code_file *items; /* number N is at N - 1; 0 is none */
	size_t n, cap;
	size_t open;             /* those with an elf */
	struct intern known;     /* by path and build id */
	stack_define_fn *define; /* NULL: nobody wants to know */
	void *user;
};

/* Executable memory. */
struct code_map {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint64_t bias;   /* of the file, when `biased` */
	uint64_t file;
	uint32_t prot;
	bool biased;
};

/* The code of an address space. All 0 is none. */
struct code_maps {
	uint64_t set; /* its number; 0: none yet */
	struct code_map *items;
	size_t n;
};

/* The file by number, which is one of them. */
struct code_file *code_file(const struct code_files *files, uint64_t number);

/* Closes the files that no set has any more. */
void code_files_close(struct code_files *files);

/* Frees everything but the cache. */
void code_files_release(struct code_files *files);

/*
 * Makes *maps what the space was last unwound with, for thread tid. It gets another number when that is something new;
 * numbers come from *sets. 0 or -ENOMEM.
 */
int code_maps_update(struct code_maps *maps, struct code_files *files, const struct unwind_space *space, pid_t tid,
                     uint64_t *sets);

/* A copy, for the child of a fork. 0 or -ENOMEM. */
int code_maps_copy(struct code_maps *to, struct code_files *files, const struct code_maps *from);

/* The map that holds addr; NULL when there is none. */
const struct code_map *code_maps_find(const struct code_maps *maps, uint64_t addr);

/* True when some of [start, start + n) is code. */
bool code_maps_overlap(const struct code_maps *maps, uint64_t start, uint64_t n);

/* Frees it; the files stay known. */
void code_maps_release(struct code_maps *maps, struct code_files *files);

#endif
