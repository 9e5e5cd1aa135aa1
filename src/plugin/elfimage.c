/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elfimage.h"

#include <stdlib.h>
#include <string.h>

#define HEADERS_MAX 1024          /* of segments, of sections */
#define SYMBOLS_BYTES (16u << 20) /* of a table of symbols at most */
#define NAMES_BYTES (32u << 20)
#define NOTES_BYTES 4096

static bool get(const struct file_memory *file, uint64_t offset, void *to, size_t n)
{
	return file->read(file->user, offset, to, n);
}

/* --- Files of 32 bits, as if they had 64 ----------------------------------------------------------------------------
 */

static bool is_narrow(const Elf64_Ehdr *header)
{
	return header->e_ident[EI_CLASS] == ELFCLASS32;
}

static bool read_narrow(const struct file_memory *file, Elf64_Ehdr *header)
{
	Elf32_Ehdr h;

	if (!get(file, 0, &h, sizeof(h)) || h.e_phentsize != sizeof(Elf32_Phdr))
		return false;
	*header = (Elf64_Ehdr){.e_phoff = h.e_phoff,
	                       .e_shoff = h.e_shoff,
	                       .e_phentsize = sizeof(Elf64_Phdr),
	                       .e_phnum = h.e_phnum,
	                       .e_shentsize = h.e_shentsize == sizeof(Elf32_Shdr) ? sizeof(Elf64_Shdr) : 0,
	                       .e_shnum = h.e_shnum};
	memcpy(header->e_ident, h.e_ident, EI_NIDENT);
	return true;
}

static bool read_header(const struct file_memory *file, Elf64_Ehdr *header)
{
	unsigned char ident[EI_NIDENT];

	if (!get(file, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_DATA] != ELFDATA2LSB)
		return false;
	if (ident[EI_CLASS] == ELFCLASS32)
		return read_narrow(file, header);
	return ident[EI_CLASS] == ELFCLASS64 && get(file, 0, header, sizeof(*header));
}

static bool read_segment(const struct file_memory *file, const Elf64_Ehdr *header, unsigned i, Elf64_Phdr *segment)
{
	Elf32_Phdr s;

	if (!is_narrow(header))
		return get(file, header->e_phoff + i * sizeof(*segment), segment, sizeof(*segment));
	if (!get(file, header->e_phoff + i * sizeof(s), &s, sizeof(s)))
		return false;
	*segment = (Elf64_Phdr){.p_type = s.p_type,
	                        .p_flags = s.p_flags,
	                        .p_offset = s.p_offset,
	                        .p_vaddr = s.p_vaddr,
	                        .p_filesz = s.p_filesz};
	return true;
}

static bool read_section(const struct file_memory *file, const Elf64_Ehdr *header, unsigned i, Elf64_Shdr *section)
{
	Elf32_Shdr s;

	if (!is_narrow(header))
		return get(file, header->e_shoff + i * sizeof(*section), section, sizeof(*section));
	if (!get(file, header->e_shoff + i * sizeof(s), &s, sizeof(s)))
		return false;
	*section = (Elf64_Shdr){.sh_name = s.sh_name,
	                        .sh_type = s.sh_type,
	                        .sh_flags = s.sh_flags,
	                        .sh_addr = s.sh_addr,
	                        .sh_offset = s.sh_offset,
	                        .sh_size = s.sh_size,
	                        .sh_link = s.sh_link,
	                        .sh_entsize = s.sh_entsize};
	return true;
}

/* n symbols at an offset; NULL: not there. */
static Elf64_Sym *read_symbols(const struct file_memory *file, bool narrow, uint64_t offset, size_t n)
{
	size_t size = narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	Elf64_Sym *symbols = malloc(n * sizeof(*symbols) + 1);
	char *end;

	if (!symbols)
		return NULL;
	/* Narrow ones are read to where the last of the others will end, and grow to the front. */
	end = (char *)symbols + n * (sizeof(*symbols) - size);
	if (!get(file, offset, end, n * size)) {
		free(symbols);
		return NULL;
	}
	for (size_t i = 0; narrow && i < n; i++) {
		Elf32_Sym s;

		memcpy(&s, end + i * size, size);
		symbols[i] = (Elf64_Sym){s.st_name, s.st_info, s.st_other, s.st_shndx, s.st_value, s.st_size};
	}
	return symbols;
}

/* --- Segments ----------------------------------------------------------------------------------------------------- */

static size_t align4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* Looks for the build id in a segment of notes (elf(5)). */
static void read_notes(struct elf_id *id, const struct file_memory *file, const Elf64_Phdr *segment)
{
	unsigned char notes[NOTES_BYTES];
	size_t size = segment->p_filesz < sizeof(notes) ? (size_t)segment->p_filesz : sizeof(notes), at = 0;
	Elf64_Nhdr note;

	if (!get(file, segment->p_offset, notes, size))
		return;
	while (size - at >= sizeof(note)) {
		size_t name = at + sizeof(note), bytes;

		memcpy(&note, notes + at, sizeof(note));
		if (note.n_namesz > size - name || note.n_descsz > size)
			return;
		bytes = name + align4(note.n_namesz);
		if (bytes > size || note.n_descsz > size - bytes)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    memcmp(notes + name, "GNU", sizeof("GNU")) == 0 && note.n_descsz <= sizeof(id->bytes)) {
			memcpy(id->bytes, notes + bytes, note.n_descsz);
			id->n = note.n_descsz;
			id->address = segment->p_vaddr + bytes;
			return;
		}
		at = bytes + align4(note.n_descsz);
		if (at > size)
			return;
	}
}

static void read_segments(struct elfimage *image, const struct file_memory *file, const Elf64_Ehdr *header)
{
	for (unsigned i = 0; i < header->e_phnum && i < HEADERS_MAX; i++) {
		Elf64_Phdr segment;

		if (!read_segment(file, header, i, &segment))
			return;
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X && segment.p_filesz &&
		    image->n < ELFIMAGE_SEGMENTS)
			image->code[image->n++] =
				(struct elf_code){segment.p_offset, segment.p_filesz, segment.p_vaddr};
		if (segment.p_type == PT_NOTE && !image->id.n)
			read_notes(&image->id, file, &segment);
	}
}

bool elfimage_same(const struct elf_id *a, const struct elf_id *b)
{
	return a->n && a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* --- Symbols ------------------------------------------------------------------------------------------------------ */

/* Reads one table of symbols with its names. */
static bool read_table(struct elf_table *t, const struct file_memory *file, bool narrow, const Elf64_Shdr *table,
                       const Elf64_Shdr *strings)
{
	size_t size = narrow ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);

	if (table->sh_entsize != size || table->sh_size > SYMBOLS_BYTES || strings->sh_size > NAMES_BYTES ||
	    !strings->sh_size)
		return false;
	t->n = table->sh_size / size;
	t->symbols = read_symbols(file, narrow, table->sh_offset, t->n);
	t->names = calloc(strings->sh_size + 1, 1);
	t->names_size = strings->sh_size;
	return t->symbols && t->names && get(file, strings->sh_offset, t->names, strings->sh_size);
}

bool elfimage_table(struct elf_table *table, const struct file_memory *file, uint32_t type)
{
	Elf64_Ehdr header;
	unsigned n;

	*table = (struct elf_table){0};
	if (!read_header(file, &header) || header.e_shentsize != sizeof(Elf64_Shdr))
		return false;
	n = header.e_shnum < HEADERS_MAX ? header.e_shnum : HEADERS_MAX;
	table->sections = n ? malloc(n * sizeof(*table->sections)) : NULL;
	if (!table->sections)
		return false;
	for (; table->n_sections < n; table->n_sections++) {
		if (!read_section(file, &header, table->n_sections, &table->sections[table->n_sections]))
			return false;
	}
	for (unsigned i = 0; i < n; i++) {
		const Elf64_Shdr *section = &table->sections[i];

		if (section->sh_type == type && section->sh_link < n)
			return read_table(table, file, is_narrow(&header), section, &table->sections[section->sh_link]);
	}
	return false;
}

void elfimage_release(struct elf_table *table)
{
	free(table->sections);
	free(table->symbols);
	free(table->names);
	*table = (struct elf_table){0};
}

/* The functions of a table. */
static bool take_functions(struct elfimage *image, const struct file_memory *file, uint32_t type)
{
	struct elf_table table;

	symbols_release(&image->symbols);
	if (elfimage_table(&table, file, type)) {
		(void)symbols_take(&image->symbols, table.symbols, table.n, table.names, table.names_size);
		table.names = NULL;
	}
	elfimage_release(&table);
	return image->symbols.n > 0;
}

bool elfimage_read(struct elfimage *image, const struct file_memory *file)
{
	Elf64_Ehdr header;

	memset(image, 0, sizeof(*image));
	if (!read_header(file, &header) || header.e_phentsize != sizeof(Elf64_Phdr))
		return false;
	read_segments(image, file, &header);
	/* The whole table where there is one, else that of the dynamic linker. */
	image->whole = take_functions(image, file, SHT_SYMTAB);
	if (!image->whole)
		(void)take_functions(image, file, SHT_DYNSYM);
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
