/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The headers of an ELF file, of either class, as numbers. */
#include "private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const void *elf_bytes(const struct elf *elf, uint64_t offset, uint64_t n)
{
	return offset <= elf->size && n <= elf->size - offset ? elf->data + offset : NULL;
}

const char *elf_string(const struct elf *elf, uint64_t offset, uint64_t end)
{
	const char *text = end <= elf->size && offset < end ? (const char *)elf->data + offset : NULL;

	return text && memchr(text, 0, end - offset) ? text : NULL;
}

uint64_t elf_number(const unsigned char *p, unsigned n)
{
	uint64_t value = 0;

	while (n--)
		value = value << 8 | p[n];
	return value;
}

static bool read_bytes(void *user, uint64_t offset, void *to, size_t n)
{
	const void *at = elf_bytes(user, offset, n);

	if (at)
		memcpy(to, at, n);
	return at;
}

static struct elf_source source_of(const struct elf *elf)
{
	return (struct elf_source){read_bytes, (void *)elf};
}

bool elf_section(const struct elf *elf, size_t i, struct elf_section *section)
{
	const struct elf_source source = source_of(elf);
	const struct elf_header *h = &elf->file;
	struct elf_section names;
	const char *text = NULL;

	if (i >= h->n_sections || !elf_read_section(&source, h, i, section))
		return false;
	if (h->names < h->n_sections && elf_read_section(&source, h, h->names, &names) &&
	    section->name_at < names.size && elf_bytes(elf, names.offset, names.size))
		text = elf_string(elf, names.offset + section->name_at, names.offset + names.size);
	section->name = text ? text : "";
	return true;
}

bool elf_section_named(const struct elf *elf, const char *name, struct elf_section *section)
{
	for (size_t i = 1; i < elf->file.n_sections; i++)
		if (elf_section(elf, i, section) && strcmp(section->name, name) == 0)
			return true;
	return false;
}

bool elf_entry(const struct elf *elf, const struct elf_section *table, uint64_t i, struct elf_entry *entry)
{
	size_t each = elf_entry_size(elf->file.word);
	const void *at = i < table->size / each ? elf_bytes(elf, table->offset + i * each, each) : NULL;

	if (at)
		elf_decode_entry(at, elf->file.word, entry);
	return at;
}

/* Looks for the build id among the notes at an offset. */
static void read_notes(struct elf *elf, uint64_t offset, uint64_t n)
{
	const unsigned char *notes = elf_bytes(elf, offset, n);

	if (notes)
		elf->id = elf_find_build_id(notes, n, &elf->id_len);
}

static int read_programs(struct elf *elf, const struct elf_source *source)
{
	size_t n = elf->file.n_programs;
	struct elf_program p;

	if (!n)
		return 0;
	if (!elf_read_program(source, &elf->file, n - 1, &p))
		return -ENOEXEC;
	elf->segments = calloc(n, sizeof(*elf->segments));
	if (!elf->segments)
		return -ENOMEM;
	for (size_t i = 0; i < n && elf_read_program(source, &elf->file, i, &p); i++) {
		if (p.type == PT_NOTE && !elf->id)
			read_notes(elf, p.offset, p.filesz);
		if (p.type == PT_GNU_EH_FRAME) {
			elf->header = p.vaddr;
			elf->header_size = p.memsz;
		}
		if (p.type == PT_LOAD && p.memsz && p.vaddr + p.memsz > p.vaddr && p.offset + p.filesz >= p.offset)
			elf->segments[elf->n_segments++] =
				(struct elf_segment){p.vaddr, p.memsz, p.offset, p.filesz, p.flags};
	}
	return 0;
}

int elf_parse(struct elf *elf)
{
	const struct elf_source source = source_of(elf);
	struct elf_header *h = &elf->file;
	struct elf_section section;

	if (!elf_read_header(&source, h))
		return -ENOEXEC;
	/* A table of sections that is not all in the file, as that of a cut one, is taken for none. */
	if (h->n_sections > elf->size / sizeof(Elf32_Shdr) ||
	    (h->n_sections && !elf_read_section(&source, h, h->n_sections - 1, &section)))
		h->n_sections = 0;
	/* In a debug file the program headers still say where the notes were before they were moved. */
	for (size_t i = 1; i < h->n_sections && !elf->id; i++)
		if (elf_read_section(&source, h, i, &section) && section.type == SHT_NOTE)
			read_notes(elf, section.offset, section.size);
	return read_programs(elf, &source);
}
