/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The headers of little-endian ELF files (elf(5)) of 32 and 64 bits, as numbers that do not depend on the class. A file
 * is read through a callback, for it may be in memory that has parts of it only. Nothing in it is trusted.
 */
#ifndef EXECTRACE_TARGET_SYMBOL_ELFHEADER_H
#define EXECTRACE_TARGET_SYMBOL_ELFHEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_BUILD_ID_MAX 64 /* bytes; longer ones are taken for none */

/* Where a file is read from. */
struct elf_source {
	/* Copies n bytes at an offset. False: they are not all there. */
	bool (*read)(void *user, uint64_t offset, void *to, size_t n);
	void *user;
};

/* The header of a file. */
struct elf_header {
	unsigned word; /* bytes of an address: 4 or 8 */
	unsigned machine;
	uint64_t programs, sections; /* offsets of the tables */
	size_t n_programs;
	size_t n_sections; /* 0 when the table cannot be read */
	size_t names;      /* index of the section with their names */
};

struct elf_program {
	uint32_t type, flags;
	uint64_t offset, vaddr, filesz, memsz;
};

struct elf_section {
	const char *name; /* "" when it is not known */
	uint32_t name_at; /* its offset in the section with names */
	uint32_t type;
	uint32_t link;
	uint64_t flags, addr, offset, size, entsize;
};

/* A symbol. */
struct elf_entry {
	uint32_t name; /* offset in the table of names */
	uint16_t section;
	uint8_t info;
	uint64_t value, size;
};

/* Reads the header. False when there is none that can be read. */
bool elf_read_header(const struct elf_source *file, struct elf_header *header);

/* Reads program header i, of those that there are. False when it is not there. */
bool elf_read_program(const struct elf_source *file, const struct elf_header *header, size_t i,
                      struct elf_program *program);

/* Reads section header i, without its name. False when it is not there. */
bool elf_read_section(const struct elf_source *file, const struct elf_header *header, size_t i,
                      struct elf_section *section);

/* Bytes of a symbol in a file with words of 4 or 8 bytes. */
size_t elf_entry_size(unsigned word);

/* Takes a symbol out of so many bytes. */
void elf_decode_entry(const void *bytes, unsigned word, struct elf_entry *entry);

/* Looks for the GNU build id among n bytes of notes. Where it is in them, and its length; NULL: there is none. */
const unsigned char *elf_find_build_id(const unsigned char *notes, uint64_t n, size_t *length);

#endif
