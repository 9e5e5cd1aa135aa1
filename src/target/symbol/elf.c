/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <fcntl.h>
#include <lzma.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u
#define DWARF_UDATA4 0x03 /* DW_EH_PE_udata4 */
#define DWARF_TABLE 0x3b  /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
#define DWARF_OMIT 0xff

/* Parses what *elf holds, which it takes over. */
static int finish(struct elf *elf, struct elf **out)
{
	int err = elf_parse(elf);

	if (err)
		elf_unref(elf);
	else
		*out = elf;
	return err;
}

static struct elf *fresh(void)
{
	struct elf *elf = calloc(1, sizeof(*elf));

	if (elf) {
		elf->refs = 1;
		elf->fd = -1;
	}
	return elf;
}

int elf_open_image(const void *bytes, size_t n, struct elf **out)
{
	struct elf *elf = fresh();
	void *copy = elf ? malloc(n + 1) : NULL;

	if (!copy) {
		free(elf);
		return -ENOMEM;
	}
	if (n)
		memcpy(copy, bytes, n);
	elf->data = copy;
	elf->size = n;
	return finish(elf, out);
}

int elf_open_fd(int fd, struct elf **out)
{
	struct elf *elf = NULL;
	struct stat st;
	void *data = NULL;
	int err = 0;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < EI_NIDENT)
		return -ENOEXEC;
	elf = fresh();
	if (!elf)
		return -ENOMEM;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	elf->fd = data == MAP_FAILED ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	err = -errno;
	if (data != MAP_FAILED) {
		elf->data = data;
		elf->size = (size_t)st.st_size;
		elf->mapped = true;
		elf->changed = st.st_mtim;
	}
	if (elf->fd < 0) {
		elf_unref(elf);
		return err;
	}
	return finish(elf, out);
}

int elf_open(const char *path, struct elf **out)
{
	cleanup_fd int fd = file_open_regular(AT_FDCWD, path, 0);

	return fd == -EMEDIUMTYPE ? -ENOEXEC : fd < 0 ? fd : elf_open_fd(fd, out);
}

struct elf *elf_ref(struct elf *elf)
{
	elf->refs++;
	return elf;
}

void elf_unref(struct elf *elf)
{
	if (!elf || --elf->refs)
		return;
	elf_unref(elf->debug);
	elf_unref(elf->mini);
	if (elf->mapped)
		munmap((void *)elf->data, elf->size);
	else
		free((void *)elf->data);
	fd_close(&elf->fd);
	free(elf->segments);
	free(elf->symbols);
	free(elf->pairs);
	strv_release(&elf->names);
	free(elf);
}

bool elf_is_current(const struct elf *elf)
{
	struct stat st;

	if (elf->fd < 0)
		return true;
	return fstat(elf->fd, &st) == 0 && (size_t)st.st_size == elf->size &&
	       st.st_mtim.tv_sec == elf->changed.tv_sec && st.st_mtim.tv_nsec == elf->changed.tv_nsec;
}

unsigned elf_word(const struct elf *elf)
{
	return elf->file.word;
}

unsigned elf_machine(const struct elf *elf)
{
	return elf->file.machine;
}

const struct elf_segment *elf_segments(const struct elf *elf, size_t *n)
{
	*n = elf->n_segments;
	return elf->segments;
}

size_t elf_build_id(const struct elf *elf, const unsigned char **id)
{
	*id = elf->id;
	return elf->id_len;
}

bool elf_bias(const struct elf *elf, uint64_t map_start, uint64_t map_offset, bool exec, uint64_t *bias)
{
	const struct elf_segment *found = NULL;

	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];
		uint64_t first = s->offset & ~(uint64_t)(PAGE - 1);

		if (map_offset < first || map_offset >= s->offset + s->file)
			continue;
		/* The last page of one segment is often the first of the next. */
		if (!found || (exec && (s->flags & PF_X)) || (first == map_offset && !(exec && (found->flags & PF_X))))
			found = s;
	}
	if (found)
		*bias = map_start - (found->vaddr + (map_offset - found->offset));
	return found;
}

const void *elf_at(const struct elf *elf, uint64_t vaddr, size_t *n)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];
		uint64_t into = vaddr - s->vaddr;
		const void *at = NULL;

		if (vaddr < s->vaddr || into >= s->file || into >= s->memory)
			continue;
		at = elf_bytes(elf, s->offset + into, 1);
		if (!at)
			return NULL;
		*n = s->file - into;
		if (*n > elf->size - (s->offset + into))
			*n = elf->size - (s->offset + into);
		return at;
	}
	return NULL;
}

/* Bytes of a value coded so, 0 when that is none we know. */
static unsigned coded_size(const struct elf *elf, unsigned char coding)
{
	static const unsigned char sizes[16] = {0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 2, 4, 8};

	if (coding == DWARF_OMIT)
		return 0;
	return (coding & 15) == 0 ? elf->file.word : sizes[coding & 15];
}

uint64_t elf_unwind_header(const struct elf *elf)
{
	return elf->header_size ? elf->header : 0;
}

int elf_unwind_table(const struct elf *elf, const void *bytes, size_t n, struct elf_unwind_table *table)
{
	size_t most = n ? (size_t)elf->header_size : 0;
	const unsigned char *p = n ? bytes : elf->header_size ? elf_at(elf, elf->header, &n) : NULL;
	unsigned frame = 0;

	if (!p || n < 4)
		return -ENOENT;
	if (!most)
		most = n;
	frame = coded_size(elf, p[1]);
	if (p[0] != 1 || p[2] != DWARF_UDATA4 || p[3] != DWARF_TABLE || !frame)
		return -ENOTSUP;
	if (n < 8 + (size_t)frame || most < 8 + (size_t)frame)
		return -ENOENT;
	table->header = elf->header;
	table->table = elf->header + 8 + frame;
	table->count = elf_number(p + 4 + frame, 4);
	if (table->count > (most - 8 - frame) / 8)
		table->count = (most - 8 - frame) / 8;
	return table->count ? 0 : -ENOENT;
}

const char *elf_debuglink(const struct elf *elf, uint32_t *crc)
{
	struct elf_section s;
	const char *name = NULL;
	const unsigned char *sum = NULL;

	if (!elf_section_named(elf, ".gnu_debuglink", &s) || !elf_bytes(elf, s.offset, s.size))
		return NULL;
	name = elf_string(elf, s.offset, s.offset + s.size);
	if (!name || !*name || strchr(name, '/'))
		return NULL;
	sum = elf_bytes(elf, s.offset + ((strlen(name) + 4) & ~3ull), 4);
	if (!sum)
		return NULL;
	*crc = (uint32_t)elf_number(sum, 4);
	return name;
}

uint32_t elf_crc(const struct elf *elf)
{
	return lzma_crc32(elf->data, elf->size, 0);
}
