/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF file in memory, shared by the files that read its parts. */
#ifndef EXECTRACE_SRC_TARGET_SYMBOL_PRIVATE_H
#define EXECTRACE_SRC_TARGET_SYMBOL_PRIVATE_H

#include <elf.h>
#include <exectrace/base/strv.h>
#include <exectrace/target/symbol/elf.h>
#include <time.h>

struct elf {
	unsigned refs;
	const unsigned char *data;
	size_t size;
	bool mapped; /* data is a mapping, else from malloc */
	int fd;      /* of a mapped file, to see changes; -1 */
	struct timespec changed;

	struct elf_header file; /* no sections when their table does not lie in the file */
	struct elf_segment *segments;
	size_t n_segments;
	uint64_t header, header_size; /* PT_GNU_EH_FRAME: vaddr, bytes */
	const unsigned char *id;
	size_t id_len;

	struct elf *debug; /* the separate debug file */
	struct elf *mini;  /* what .gnu_debugdata holds */
	bool loaded;       /* the symbols were read */
	struct elf_symbol *symbols;
	size_t n_symbols, cap_symbols;
	struct strv names; /* that were made here */

	bool indexed;              /* .eh_frame was searched, see elfframes.c */
	struct elf_section frames; /* it, with no bytes when there is none */
	struct elf_pair *pairs;
	size_t n_pairs, cap_pairs;
};

/* n bytes at an offset, NULL when they are not all in the file. Nothing is aligned. */
const void *elf_bytes(const struct elf *elf, uint64_t offset, uint64_t n);

/* A string at an offset that ends before `end`, NULL when it does not. */
const char *elf_string(const struct elf *elf, uint64_t offset, uint64_t end);

/* Reads section header i. False when there is no such section. */
bool elf_section(const struct elf *elf, size_t i, struct elf_section *section);

/* Finds the first section with that name. */
bool elf_section_named(const struct elf *elf, const char *name, struct elf_section *section);

/* Reads entry i of a symbol table. False when it is not in the table. */
bool elf_entry(const struct elf *elf, const struct elf_section *table, uint64_t i, struct elf_entry *entry);

/* A little-endian number of 1 to 8 bytes. */
uint64_t elf_number(const unsigned char *p, unsigned n);

/* elfread.c: reads the headers of what data and size hold. 0; -ENOEXEC; -ENOMEM. */
int elf_parse(struct elf *elf);

/* Adds a symbol, unless memory ends. */
void elf_add_symbol(struct elf *elf, struct elf_symbol symbol);

/* elfplt.c: adds a symbol NAME@plt for each entry of the PLT (x86 only). */
void elf_add_plt(struct elf *elf);

/* elfmini.c: the file in .gnu_debugdata, NULL when there is none that can be read. */
struct elf *elf_unpack_mini(const struct elf *elf);

#endif
