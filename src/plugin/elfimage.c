/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elfimage.h"

#include <exectrace/base/cleanup.h>
#include <stdlib.h>
#include <string.h>

#define HEADERS_MAX 1024          /* of segments, of sections */
#define SYMBOLS_BYTES (16u << 20) /* of a table of symbols at most */
#define NAMES_BYTES (32u << 20)

static bool get(const struct file_memory *file, uint64_t offset, void *to, size_t n)
{
	return file->read(file->user, offset, to, n);
}

static void read_segments(struct elfimage *image, const struct file_memory *file, const Elf64_Ehdr *header)
{
	for (unsigned i = 0; i < header->e_phnum && i < HEADERS_MAX && image->n < ELFIMAGE_SEGMENTS; i++) {
		Elf64_Phdr segment;

		if (!get(file, header->e_phoff + i * sizeof(segment), &segment, sizeof(segment)))
			return;
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X && segment.p_filesz)
			image->code[image->n++] =
				(struct elf_code){segment.p_offset, segment.p_filesz, segment.p_vaddr};
	}
}

/* Reads one table of symbols with its names. */
static bool read_table(struct elfimage *image, const struct file_memory *file, const Elf64_Shdr *table,
                       const Elf64_Shdr *strings)
{
	cleanup_free Elf64_Sym *symbols = NULL;
	char *names = NULL;

	if (table->sh_entsize != sizeof(Elf64_Sym) || table->sh_size > SYMBOLS_BYTES ||
	    strings->sh_size > NAMES_BYTES || !strings->sh_size)
		return false;
	symbols = malloc(table->sh_size + 1);
	names = calloc(strings->sh_size + 1, 1);
	if (!symbols || !names || !get(file, table->sh_offset, symbols, table->sh_size) ||
	    !get(file, strings->sh_offset, names, strings->sh_size)) {
		free(names);
		return false;
	}
	symbols_release(&image->symbols);
	return symbols_take(&image->symbols, symbols, table->sh_size / sizeof(Elf64_Sym), names, strings->sh_size);
}

/* The whole table where there is one, else that of the dynamic linker. */
static void read_symbols(struct elfimage *image, const struct file_memory *file, const Elf64_Ehdr *header)
{
	unsigned n = header->e_shnum < HEADERS_MAX ? header->e_shnum : HEADERS_MAX;
	cleanup_free Elf64_Shdr *sections = n ? malloc(n * sizeof(*sections)) : NULL;
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};

	if (!sections || header->e_shentsize != sizeof(*sections) ||
	    !get(file, header->e_shoff, sections, n * sizeof(*sections)))
		return;
	for (unsigned t = 0; t < 2 && !image->symbols.n; t++) {
		for (unsigned i = 0; i < n; i++) {
			if (sections[i].sh_type == types[t] && sections[i].sh_link < n &&
			    read_table(image, file, &sections[i], &sections[sections[i].sh_link]))
				break;
		}
	}
}

bool elfimage_read(struct elfimage *image, const struct file_memory *file)
{
	Elf64_Ehdr header;

	memset(image, 0, sizeof(*image));
	if (!get(file, 0, &header, sizeof(header)) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_phentsize != sizeof(Elf64_Phdr))
		return false;
	read_segments(image, file, &header);
	read_symbols(image, file, &header);
	return true;
}

uint64_t elfimage_address(const struct elfimage *image, uint64_t offset)
{
	for (unsigned i = 0; i < image->n; i++) {
		const struct elf_code *code = &image->code[i];

		if (offset >= code->offset && offset - code->offset < code->size)
			return code->address + (offset - code->offset);
	}
	return 0;
}
