/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/elfimage.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define HEADERS_MAX 1024          /* of segments, of sections */
#define SYMBOLS_BYTES (16u << 20) /* of a table of symbols at most */
#define NAMES_BYTES (32u << 20)
#define NOTES_BYTES 4096

/* Looks for the build id in a segment of notes. */
static void read_notes(struct elf_id *id, const struct elf_source *file, const struct elf_program *segment)
{
	unsigned char notes[NOTES_BYTES];
	size_t size = segment->filesz < sizeof(notes) ? (size_t)segment->filesz : sizeof(notes), n = 0;
	const unsigned char *found = NULL;

	if (file->read(file->user, segment->offset, notes, size))
		found = elf_find_build_id(notes, size, &n);
	if (!found)
		return;
	memcpy(id->bytes, found, n);
	id->n = (unsigned)n;
	id->address = segment->vaddr + (uint64_t)(found - notes);
}

static void read_segments(struct elfimage *image, const struct elf_source *file, const struct elf_header *header)
{
	struct elf_program p;

	for (size_t i = 0; i < header->n_programs && i < HEADERS_MAX; i++) {
		if (!elf_read_program(file, header, i, &p))
			return;
		if (p.type == PT_LOAD && p.flags & PF_X && p.filesz && image->n < ELFIMAGE_SEGMENTS)
			image->code[image->n++] = (struct elf_code){p.offset, p.filesz, p.vaddr};
		image->dynamic |= p.type == PT_DYNAMIC;
		if (p.type == PT_NOTE && !image->id.n)
			read_notes(&image->id, file, &p);
	}
}

/* Files with debug information alone may have no segments. */
static void find_notes(struct elf_id *id, const struct elf_source *file, const struct elf_header *header)
{
	struct elf_section s;

	for (size_t i = 1; i < header->n_sections && i < HEADERS_MAX && !id->n; i++) {
		if (!elf_read_section(file, header, i, &s))
			return;
		if (s.type == SHT_NOTE)
			read_notes(id, file,
			           &(struct elf_program){.offset = s.offset, .vaddr = s.addr, .filesz = s.size});
	}
}

bool elfimage_same(const struct elf_id *a, const struct elf_id *b)
{
	return a->n && a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* --- Symbols ------------------------------------------------------------------------------------------------------ */

/* Reads one table of symbols with its names. */
static bool read_table(struct elf_table *t, const struct elf_source *file, const struct elf_section *table,
                       const struct elf_section *strings)
{
	size_t size = elf_entry_size(t->word);

	if (table->entsize != size || table->size > SYMBOLS_BYTES || strings->size > NAMES_BYTES || !strings->size)
		return false;
	t->n = (size_t)table->size / size;
	t->symbols = malloc(t->n * size + 1);
	t->names = calloc(strings->size + 1, 1);
	t->names_size = strings->size;
	return t->symbols && t->names && file->read(file->user, table->offset, t->symbols, t->n * size) &&
	       file->read(file->user, strings->offset, t->names, strings->size);
}

bool elfimage_table(struct elf_table *table, const struct elf_source *file, uint32_t type)
{
	struct elf_header header;
	size_t n;

	*table = (struct elf_table){0};
	if (!elf_read_header(file, &header))
		return false;
	table->word = header.word;
	n = header.n_sections < HEADERS_MAX ? header.n_sections : HEADERS_MAX;
	table->sections = n ? malloc(n * sizeof(*table->sections)) : NULL;
	if (!table->sections)
		return false;
	for (; table->n_sections < n; table->n_sections++) {
		if (!elf_read_section(file, &header, table->n_sections, &table->sections[table->n_sections]))
			return false;
	}
	for (size_t i = 0; i < n; i++) {
		const struct elf_section *section = &table->sections[i];

		if (section->type == type && section->link < n)
			return read_table(table, file, section, &table->sections[section->link]);
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
static bool take_functions(struct elfimage *image, const struct elf_source *file, uint32_t type)
{
	struct elf_table table;

	symbols_release(&image->symbols);
	if (elfimage_table(&table, file, type))
		(void)symbols_take(&image->symbols, &table);
	elfimage_release(&table);
	return image->symbols.n > 0;
}

bool elfimage_read_headers(struct elfimage *image, const struct elf_source *file)
{
	struct elf_header header;

	memset(image, 0, sizeof(*image));
	if (!elf_read_header(file, &header))
		return false;
	read_segments(image, file, &header);
	if (!image->n)
		find_notes(&image->id, file, &header);
	return true;
}

bool elfimage_read(struct elfimage *image, const struct elf_source *file)
{
	if (!elfimage_read_headers(image, file))
		return false;
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
