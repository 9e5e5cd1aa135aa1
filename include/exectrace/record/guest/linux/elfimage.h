/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of an ELF file, of 64 or 32 bits, that matter for naming its functions, read through a callback. */
#ifndef EXECTRACE_RECORD_GUEST_LINUX_ELFIMAGE_H
#define EXECTRACE_RECORD_GUEST_LINUX_ELFIMAGE_H

#include <exectrace/record/guest/linux/symbols.h>

#define ELFIMAGE_SEGMENTS 8

/* A segment with code: its file's bytes [offset, offset + size) are at `address`. */
struct elf_code {
	uint64_t offset, size, address;
};

/* A build id, and where it is. */
struct elf_id {
	unsigned char bytes[ELF_BUILD_ID_MAX];
	unsigned n;       /* 0: none, or not in memory */
	uint64_t address; /* of the bytes, as linked */
};

struct elfimage {
	struct elf_code code[ELFIMAGE_SEGMENTS];
	unsigned n;
	struct elf_id id;
	struct symbols symbols; /* n is 0: it has none, or they are not in memory */
	bool dynamic;           /* a dynamic linker, or the program itself, adds addresses when it begins */
	bool whole;             /* they are all there are, not those of the dynamic linker only */
};

/* Reads what there is. False: it is no such file. Release the symbols. */
bool elfimage_read(struct elfimage *image, const struct elf_source *file);

/* Likewise without the symbols. */
bool elfimage_read_headers(struct elfimage *image, const struct elf_source *file);

/* The address that a byte of the file has in the segments with code; 0: it is in none. */
uint64_t elfimage_address(const struct elfimage *image, uint64_t offset);

/* Reads the first table of a type (SHT_SYMTAB, SHT_DYNSYM). False: there is none. Release it in any case. */
bool elfimage_table(struct elf_table *table, const struct elf_source *file, uint32_t type);
void elfimage_release(struct elf_table *table);

/* True when both are known and the same. */
bool elfimage_same(const struct elf_id *a, const struct elf_id *b);

#endif
