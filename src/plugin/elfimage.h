/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of an ELF file of 64 bits that matter for naming its functions, read through a callback. */
#ifndef EXECTRACE_SRC_PLUGIN_ELFIMAGE_H
#define EXECTRACE_SRC_PLUGIN_ELFIMAGE_H

#include "symbols.h"

#define ELFIMAGE_SEGMENTS 8

/* A segment with code: its file's bytes [offset, offset + size) are at `address`. */
struct elf_code {
	uint64_t offset, size, address;
};

struct elfimage {
	struct elf_code code[ELFIMAGE_SEGMENTS];
	unsigned n;
	struct symbols symbols; /* n is 0: it has none, or they are not in memory */
};

/* Reads n bytes of a file at an offset; false: they are not there. */
struct file_memory {
	bool (*read)(void *user, uint64_t offset, void *to, size_t n);
	void *user;
};

/* Reads what there is. False: it is no such file. Release the symbols. */
bool elfimage_read(struct elfimage *image, const struct file_memory *file);

/* The address that a byte of the file has in the segments with code; 0: it is in none. */
uint64_t elfimage_address(const struct elfimage *image, uint64_t offset);

#endif
