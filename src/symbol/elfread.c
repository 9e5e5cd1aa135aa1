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

/* The header of a section, without its name. */
static bool raw_section(const struct elf *elf, size_t i, struct elf_section *section, uint32_t *name)
{
	size_t each = elf->word == 8 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	const void *at = i < elf->sections ? elf_bytes(elf, elf->section_table + i * each, each) : NULL;

	if (!at)
		return false;
	if (elf->word == 8) {
		Elf64_Shdr h;

		memcpy(&h, at, sizeof(h));
		*name = h.sh_name;
		*section = (struct elf_section){"",        h.sh_type,   h.sh_link, h.sh_flags,
		                                h.sh_addr, h.sh_offset, h.sh_size, h.sh_entsize};
	} else {
		Elf32_Shdr h;

		memcpy(&h, at, sizeof(h));
		*name = h.sh_name;
		*section = (struct elf_section){"",        h.sh_type,   h.sh_link, h.sh_flags,
		                                h.sh_addr, h.sh_offset, h.sh_size, h.sh_entsize};
	}
	return true;
}

bool elf_section(const struct elf *elf, size_t i, struct elf_section *section)
{
	struct elf_section names;
	uint32_t name = 0, ignored = 0;
	const char *text = NULL;

	if (!raw_section(elf, i, section, &name))
		return false;
	if (raw_section(elf, elf->section_names, &names, &ignored) && name < names.size &&
	    elf_bytes(elf, names.offset, names.size))
		text = elf_string(elf, names.offset + name, names.offset + names.size);
	section->name = text ? text : "";
	return true;
}

bool elf_section_named(const struct elf *elf, const char *name, struct elf_section *section)
{
	for (size_t i = 1; i < elf->sections; i++)
		if (elf_section(elf, i, section) && strcmp(section->name, name) == 0)
			return true;
	return false;
}

bool elf_entry(const struct elf *elf, const struct elf_section *table, uint64_t i, struct elf_entry *entry)
{
	size_t each = elf->word == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	const void *at = i < table->size / each ? elf_bytes(elf, table->offset + i * each, each) : NULL;

	if (!at)
		return false;
	if (elf->word == 8) {
		Elf64_Sym s;

		memcpy(&s, at, sizeof(s));
		*entry = (struct elf_entry){s.st_name, s.st_shndx, s.st_info, s.st_value, s.st_size};
	} else {
		Elf32_Sym s;

		memcpy(&s, at, sizeof(s));
		*entry = (struct elf_entry){s.st_name, s.st_shndx, s.st_info, s.st_value, s.st_size};
	}
	return true;
}

/* What is read of the file header. */
struct header {
	uint64_t programs, sections; /* offsets */
	size_t n_programs, n_sections, program_size, section_size, names;
};

static bool read_header(struct elf *elf, struct header *h)
{
	const unsigned char *ident = elf_bytes(elf, 0, EI_NIDENT);
	const void *at = NULL;

	if (!ident || memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_DATA] != ELFDATA2LSB)
		return false;
	elf->word = ident[EI_CLASS] == ELFCLASS64 ? 8 : ident[EI_CLASS] == ELFCLASS32 ? 4 : 0;
	at = elf->word ? elf_bytes(elf, 0, elf->word == 8 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)) : NULL;
	if (!at)
		return false;
	if (elf->word == 8) {
		Elf64_Ehdr e;

		memcpy(&e, at, sizeof(e));
		*h = (struct header){e.e_phoff,     e.e_shoff,     e.e_phnum,   e.e_shnum,
		                     e.e_phentsize, e.e_shentsize, e.e_shstrndx};
		elf->machine = e.e_machine;
	} else {
		Elf32_Ehdr e;

		memcpy(&e, at, sizeof(e));
		*h = (struct header){e.e_phoff,     e.e_shoff,     e.e_phnum,   e.e_shnum,
		                     e.e_phentsize, e.e_shentsize, e.e_shstrndx};
		elf->machine = e.e_machine;
	}
	return true;
}

/* Where the section headers are. A file whose table does not lie in it, as that of a cut one, is taken for one without.
 */
static void find_sections(struct elf *elf, const struct header *h)
{
	size_t each = elf->word == 8 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	struct elf_section first;
	uint32_t name = 0;

	if (!h->sections || h->section_size != each)
		return;
	elf->section_table = h->sections;
	elf->section_names = h->names;
	elf->sections = 1;
	/* Numbers that do not fit in the header are in the first section (elf(5)). */
	if (!raw_section(elf, 0, &first, &name)) {
		elf->sections = 0;
		return;
	}
	elf->sections = h->n_sections ? h->n_sections : first.size;
	if (h->names == SHN_XINDEX)
		elf->section_names = first.link;
	if (elf->sections > elf->size / each || !elf_bytes(elf, elf->section_table, elf->sections * each))
		elf->sections = 0;
}

static bool read_program(const struct elf *elf, uint64_t offset, struct elf_program *p)
{
	const void *at = elf_bytes(elf, offset, elf->word == 8 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));

	if (!at)
		return false;
	if (elf->word == 8) {
		Elf64_Phdr h;

		memcpy(&h, at, sizeof(h));
		*p = (struct elf_program){h.p_type, h.p_flags, h.p_offset, h.p_vaddr, h.p_filesz, h.p_memsz};
	} else {
		Elf32_Phdr h;

		memcpy(&h, at, sizeof(h));
		*p = (struct elf_program){h.p_type, h.p_flags, h.p_offset, h.p_vaddr, h.p_filesz, h.p_memsz};
	}
	return true;
}

/* Looks for the build id among the notes at an offset. */
static void read_notes(struct elf *elf, uint64_t offset, uint64_t n)
{
	const unsigned char *at = elf_bytes(elf, offset, n);

	while (at && n >= sizeof(Elf64_Nhdr) && !elf->id) {
		Elf64_Nhdr note; /* the same in both classes */
		uint64_t name = 0, desc = 0;

		memcpy(&note, at, sizeof(note));
		name = ((uint64_t)note.n_namesz + 3) & ~3ull;
		desc = ((uint64_t)note.n_descsz + 3) & ~3ull;
		at += sizeof(note);
		n -= sizeof(note);
		if (name > n || note.n_descsz > n - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at, "GNU", 4) == 0 &&
		    note.n_descsz <= ELF_BUILD_ID_MAX) {
			elf->id = at + name;
			elf->id_len = note.n_descsz;
		}
		if (desc > n - name)
			return;
		at += name + desc;
		n -= name + desc;
	}
}

static int read_programs(struct elf *elf, const struct header *h)
{
	size_t each = elf->word == 8 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	struct elf_program p;

	if (!h->n_programs)
		return 0;
	if (h->program_size != each || !elf_bytes(elf, h->programs, h->n_programs * each))
		return -ENOEXEC;
	elf->segments = calloc(h->n_programs, sizeof(*elf->segments));
	if (!elf->segments)
		return -ENOMEM;
	for (size_t i = 0; i < h->n_programs; i++) {
		if (!read_program(elf, h->programs + i * each, &p))
			break;
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
	struct elf_section section;
	struct header h;
	uint32_t name = 0;

	if (!read_header(elf, &h))
		return -ENOEXEC;
	find_sections(elf, &h);
	/* In a debug file the program headers still say where the notes were before they were moved. */
	for (size_t i = 1; i < elf->sections && !elf->id; i++)
		if (raw_section(elf, i, &section, &name) && section.type == SHT_NOTE)
			read_notes(elf, section.offset, section.size);
	return read_programs(elf, &h);
}
