/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/symbol/elfheader.h>

#include <elf.h>
#include <string.h>

/* A structure of either class. */
#define BOTH(name)                   \
	union {                      \
		Elf64_##name wide;   \
		Elf32_##name narrow; \
	}

/* Reads entry i of a table of such structures. */
#define GET(file, table, i, word, to) get(file, table, i, to, (word) == 8 ? sizeof((to)->wide) : sizeof((to)->narrow))

static bool get(const struct elf_source *file, uint64_t table, size_t i, void *to, size_t n)
{
	return file->read(file->user, table + (uint64_t)i * n, to, n);
}

/* What both classes call by the same names. */
#define TAKE(from, word, field) ((word) == 8 ? (from).wide.field : (from).narrow.field)

/* The numbers that do not fit in the header are in the first section. */
static void count_sections(const struct elf_source *file, struct elf_header *header)
{
	struct elf_section first;

	if (!header->sections || !elf_read_section(file, header, 0, &first)) {
		header->n_sections = 0;
		return;
	}
	if (!header->n_sections)
		header->n_sections = (size_t)first.size;
	if (header->names == SHN_XINDEX)
		header->names = first.link;
}

bool elf_read_header(const struct elf_source *file, struct elf_header *header)
{
	unsigned char ident[EI_NIDENT];
	BOTH(Ehdr) h;
	unsigned word = 0;

	if (!file->read(file->user, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    ident[EI_DATA] != ELFDATA2LSB)
		return false;
	word = ident[EI_CLASS] == ELFCLASS64 ? 8 : ident[EI_CLASS] == ELFCLASS32 ? 4 : 0;
	if (!word || !GET(file, 0, 0, word, &h))
		return false;
	*header = (struct elf_header){
		.word = word,
		.machine = TAKE(h, word, e_machine),
		.programs = TAKE(h, word, e_phoff),
		.sections = TAKE(h, word, e_shoff),
		.n_programs = TAKE(h, word, e_phnum),
		.n_sections = TAKE(h, word, e_shnum),
		.names = TAKE(h, word, e_shstrndx),
	};
	if (TAKE(h, word, e_shentsize) != (word == 8 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		header->sections = 0;
	count_sections(file, header);
	return !header->n_programs ||
	       TAKE(h, word, e_phentsize) == (word == 8 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
}

bool elf_read_program(const struct elf_source *file, const struct elf_header *header, size_t i,
                      struct elf_program *program)
{
	unsigned word = header->word;
	BOTH(Phdr) p;

	if (!GET(file, header->programs, i, word, &p))
		return false;
	*program = (struct elf_program){
		.type = TAKE(p, word, p_type),
		.flags = TAKE(p, word, p_flags),
		.offset = TAKE(p, word, p_offset),
		.vaddr = TAKE(p, word, p_vaddr),
		.filesz = TAKE(p, word, p_filesz),
		.memsz = TAKE(p, word, p_memsz),
	};
	return true;
}

bool elf_read_section(const struct elf_source *file, const struct elf_header *header, size_t i,
                      struct elf_section *section)
{
	unsigned word = header->word;
	BOTH(Shdr) s;

	if (!GET(file, header->sections, i, word, &s))
		return false;
	*section = (struct elf_section){
		.name = "",
		.name_at = TAKE(s, word, sh_name),
		.type = TAKE(s, word, sh_type),
		.link = TAKE(s, word, sh_link),
		.flags = TAKE(s, word, sh_flags),
		.addr = TAKE(s, word, sh_addr),
		.offset = TAKE(s, word, sh_offset),
		.size = TAKE(s, word, sh_size),
		.entsize = TAKE(s, word, sh_entsize),
	};
	return true;
}

size_t elf_entry_size(unsigned word)
{
	return word == 8 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

void elf_decode_entry(const void *bytes, unsigned word, struct elf_entry *entry)
{
	BOTH(Sym) s;

	memcpy(&s, bytes, word == 8 ? sizeof(s.wide) : sizeof(s.narrow));
	*entry = (struct elf_entry){
		.name = TAKE(s, word, st_name),
		.section = TAKE(s, word, st_shndx),
		.info = TAKE(s, word, st_info),
		.value = TAKE(s, word, st_value),
		.size = TAKE(s, word, st_size),
	};
}

const unsigned char *elf_find_build_id(const unsigned char *notes, uint64_t n, size_t *length)
{
	while (n >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note; /* the same in both classes */
		uint64_t name = 0, desc = 0;

		memcpy(&note, notes, sizeof(note));
		name = ((uint64_t)note.n_namesz + 3) & ~3ull;
		desc = ((uint64_t)note.n_descsz + 3) & ~3ull;
		notes += sizeof(note);
		n -= sizeof(note);
		if (name > n || note.n_descsz > n - name)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(notes, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 && note.n_descsz <= ELF_BUILD_ID_MAX) {
			*length = note.n_descsz;
			return notes + name;
		}
		if (desc > n - name)
			break;
		notes += name + desc;
		n -= name + desc;
	}
	return NULL;
}
