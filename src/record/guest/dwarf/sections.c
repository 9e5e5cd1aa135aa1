/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <elf.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <stdlib.h>
#include <string.h>

#define SECTIONS_MAX 65536
#define NAMES_MAX (1u << 20)
#define PADDING 64 /* zeros behind each: libdw 0.188 reads a few bytes behind one that is too short for its header */

/* What types, names and places of parameters are in. */
static const char *const wanted[] = {
	".debug_info", ".debug_types", ".debug_abbrev",   ".debug_str",    ".debug_line_str", ".debug_str_offsets",
	".debug_addr", ".debug_loc",   ".debug_loclists", ".debug_ranges", ".debug_rnglists",
};

#define WANTED (sizeof(wanted) / sizeof(wanted[0]))
#define LINK ".gnu_debugaltlink"

/* What was found in the file; bytes of 0: nothing. */
struct found {
	struct elf_section sections[WANTED], link;
	char *names; /* of all sections of the file */
	size_t names_size;
};

static const char *name_of(const struct found *found, const struct elf_section *section)
{
	return section->name_at < found->names_size ? found->names + section->name_at : "";
}

static void take(struct found *found, const struct elf_section *section)
{
	const char *name = name_of(found, section);

	if (section->type != SHT_PROGBITS)
		return;
	if (strcmp(name, LINK) == 0)
		found->link = *section;
	for (size_t i = 0; i < WANTED; i++) {
		if (!found->sections[i].size && strcmp(name, wanted[i]) == 0)
			found->sections[i] = *section;
	}
}

static int find(struct found *found, const struct elf_source *file)
{
	struct elf_header header;
	struct elf_section section;

	if (!elf_read_header(file, &header) || header.word != 8 || header.machine != EM_X86_64)
		return -ENOENT;
	if (!header.n_sections || header.n_sections > SECTIONS_MAX || header.names >= header.n_sections ||
	    !elf_read_section(file, &header, header.names, &section) || section.size > NAMES_MAX)
		return -EBADMSG;
	found->names = calloc(section.size + 1, 1);
	found->names_size = section.size;
	if (!found->names)
		return -ENOMEM;
	if (!file->read(file->user, section.offset, found->names, section.size))
		return -EBADMSG;
	for (size_t i = 1; i < header.n_sections; i++) {
		if (!elf_read_section(file, &header, i, &section))
			return -EBADMSG;
		take(found, &section);
	}
	return found->sections[0].size ? 0 : -ENOENT;
}

/* How many bytes a section has in memory. 0 when that cannot be. */
static uint64_t unpacked(const struct elf_source *file, const struct elf_section *section)
{
	Elf64_Chdr header;

	if (!(section->flags & SHF_COMPRESSED))
		return section->size;
	return file->read(file->user, section->offset, &header, sizeof(header)) ? header.ch_size : 0;
}

/* Sections of no bytes are not copied. Bytes of the image; 0: too many. */
static size_t image_size(const struct found *found, const struct elf_source *file)
{
	size_t all = sizeof(Elf64_Ehdr);
	uint64_t memory = 0;

	for (size_t i = 0; i < WANTED; i++) {
		const struct elf_section *section = &found->sections[i];
		uint64_t more = unpacked(file, section);

		if (section->size > DEBUGINFO_BYTES_MAX || more > DEBUGINFO_BYTES_MAX)
			return 0;
		memory += more + section->size;
		all += (section->size + PADDING + 7) & ~7ull;
		all += strlen(wanted[i]) + 1;
	}
	if (memory > 2ull * DEBUGINFO_BYTES_MAX)
		return 0;
	return ((all + 8) & ~(size_t)7) + (WANTED + 2) * sizeof(Elf64_Shdr);
}

static void put_header(char *image, size_t headers, size_t n)
{
	const Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = headers,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)n,
		.e_shstrndx = (Elf64_Half)(n - 1),
	};

	memcpy(image, &header, sizeof(header));
}

/* Fills the image, which is all zeros: a header, the sections, their names, and the table of all. */
static int fill(char *image, const struct found *found, const struct elf_source *file)
{
	Elf64_Shdr table[WANTED + 2] = {0};
	size_t at = sizeof(Elf64_Ehdr), n = 1, names = 1;
	char text[512] = "";

	for (size_t i = 0; i < WANTED; i++) {
		const struct elf_section *section = &found->sections[i];

		if (!section->size)
			continue;
		if (!file->read(file->user, section->offset, image + at, section->size))
			return -EBADMSG;
		table[n++] = (Elf64_Shdr){
			.sh_name = (Elf64_Word)names,
			.sh_type = SHT_PROGBITS,
			.sh_flags = section->flags & SHF_COMPRESSED,
			.sh_offset = at,
			.sh_size = section->size,
			.sh_addralign = section->flags & SHF_COMPRESSED ? 8 : 1,
		};
		memcpy(text + names, wanted[i], strlen(wanted[i]) + 1);
		names += strlen(wanted[i]) + 1;
		at += (section->size + PADDING + 7) & ~7ull;
	}
	table[n++] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = names, .sh_addralign = 1};
	memcpy(image + at, text, names);
	at = (at + names + 7) & ~(size_t)7;
	memcpy(image + at, table, n * sizeof(table[0]));
	put_header(image, at, n);
	return 0;
}

/* A path, its NUL, and a build id. */
static void read_link(struct debuginfo_link *link, const struct elf_source *file, const struct elf_section *section)
{
	char bytes[sizeof(link->path) + sizeof(link->id)];
	size_t n = section->size < sizeof(bytes) ? (size_t)section->size : sizeof(bytes), path;

	if (!n || !file->read(file->user, section->offset, bytes, n))
		return;
	path = strnlen(bytes, n);
	if (path + 1 >= n || path >= sizeof(link->path) || n - path - 1 > sizeof(link->id))
		return;
	memcpy(link->path, bytes, path + 1);
	link->n = n - path - 1;
	memcpy(link->id, bytes + path + 1, link->n);
}

int sections_read(struct sections *sections, const struct elf_source *file)
{
	struct found found = {0};
	int rc = find(&found, file);

	*sections = (struct sections){0};
	free(found.names);
	if (rc)
		return rc;
	sections->size = image_size(&found, file);
	if (!sections->size)
		return -EFBIG;
	sections->image = calloc(1, sections->size);
	rc = sections->image ? fill(sections->image, &found, file) : -ENOMEM;
	if (rc) {
		free(sections->image);
		sections->image = NULL;
		return rc;
	}
	read_link(&sections->link, file, &found.link);
	return 0;
}
