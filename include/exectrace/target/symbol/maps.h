/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mappings of an address space, from the text of /proc/PID/maps (proc_pid_maps(5)). */
#ifndef EXECTRACE_TARGET_SYMBOL_MAPS_H
#define EXECTRACE_TARGET_SYMBOL_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	uint64_t start;   /* first address */
	uint64_t end;     /* the one after the last */
	uint64_t offset;  /* in the file, bytes */
	uint64_t dev;     /* as makedev(3) packs it; 0 when it is not a file */
	uint64_t inode;   /* 0: no file */
	const char *path; /* "" for none, "[vdso]" and the like; a newline in it is \012, as in /proc. The maps' own. */
	unsigned char prot; /* PROT_READ | PROT_WRITE | PROT_EXEC */
	bool shared;
	bool deleted; /* the path, given without " (deleted)", names the file no more */
};

/* Sorted by address, none overlap. */
struct maps {
	struct map *items;
	size_t n;
	char *text; /* what the paths point into */
};

#define MAPS_INIT ((struct maps){0})

/*
 * Parses n bytes of text, which need no NUL. 0; -ENOMEM; -EBADMSG when a line is not as the kernel writes it, or out of
 * order. *maps is filled only on success; maps_release gives it back.
 */
int maps_parse(const char *text, size_t n, struct maps *maps);

/* Reads an open /proc/PID/maps from its beginning, and parses it. 0 or -errno (-ESRCH: the process is gone). */
int maps_read(int fd, struct maps *maps);

/* The mapping that holds addr, NULL when there is none. */
const struct map *maps_find(const struct maps *maps, uint64_t addr);

/* The first mapping with that path, for "[vdso]"; NULL when there is none. */
const struct map *maps_named(const struct maps *maps, const char *path);

/* True when the executable mappings are the same: what decides about frames and names. A heap may have grown. */
bool maps_same_code(const struct maps *a, const struct maps *b);

/* True when all is the same, names too. */
bool maps_equal(const struct maps *a, const struct maps *b);

/* Frees everything and empties the struct. */
void maps_release(struct maps *maps);

#endif
