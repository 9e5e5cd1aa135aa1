/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "header.h"

#include <elf.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

struct target_cache *target_cache_new(void)
{
	return calloc(1, sizeof(struct target_cache));
}

void target_cache_free(struct target_cache *cache)
{
	for (size_t i = 0; cache && i < HEADER_SLOTS; i++)
		free(cache->slot[i]);
	if (cache)
		searchable_dirs_release(&cache->ways);
	free(cache);
}

static bool blank(unsigned char c)
{
	return c == ' ' || c == '\t';
}

static bool ends_word(unsigned char c)
{
	return blank(c) || c == '\n' || !c;
}

/* Where the first word ends that begins at or behind `at`; `limit` when it does not end before that. */
static size_t word_end(const unsigned char *line, size_t at, size_t limit)
{
	while (at < limit && blank(line[at]))
		at++;
	while (at < limit && !ends_word(line[at]))
		at++;
	return at;
}

/* The end of the line: its newline with blanks before it left out. Without one, *cut, and the end of what the kernel
 * looks at. */
static size_t line_end(const unsigned char *line, bool *cut)
{
	size_t end = 2;

	while (end < HEADER_INTERP_MAX && line[end] != '\n' && line[end])
		end++;
	*cut = end == HEADER_INTERP_MAX || line[end] != '\n';
	if (*cut)
		end = HEADER_INTERP_MAX - 1;
	while (end > 2 && blank(line[end - 1]))
		end--;
	return end;
}

/*
 * As load_script of fs/binfmt_script.c reads it (Linux 5.1 and later): one interpreter, at most one argument with all
 * blanks within it kept, in the first 255 bytes; a line that is cut there is accepted only when the interpreter's name
 * is not. The rest of a short file is zeros, which end a string but not the line: blanks before them make an argument,
 * be it empty.
 */
static void parse_script(const unsigned char *bytes, size_t n, struct header *header)
{
	unsigned char line[HEADER_INTERP_MAX + 1] = {0};
	bool cut = false;
	size_t end = 0;
	size_t at = 2;
	size_t word = 0;

	memcpy(line, bytes, n < HEADER_INTERP_MAX ? n : HEADER_INTERP_MAX);
	end = line_end(line, &cut);
	if (cut && word_end(line, 2, HEADER_INTERP_MAX - 1) == HEADER_INTERP_MAX - 1)
		return;
	while (at < end && blank(line[at]))
		at++;
	word = word_end(line, at, end);
	if (word == at)
		return;
	header->kind = HEADER_SCRIPT;
	memcpy(header->interp, line + at, word - at);
	if (word == end || !line[word])
		return;
	while (word < end && blank(line[word]))
		word++;
	header->has_arg = word < end;
	memcpy(header->arg, line + word, strnlen((char *)line + word, end - word));
}

/* The fields of an ELF header that are needed, in the one or the other width. */
struct elf_view {
	uint64_t phoff;
	unsigned phentsize;
	unsigned phnum;
	bool wide;
};

static bool elf_view(const unsigned char *bytes, size_t n, struct elf_view *view)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	view->wide = bytes[EI_CLASS] == ELFCLASS64;
	if (n < (view->wide ? sizeof(wide) : sizeof(narrow)))
		return false;
	memcpy(&wide, bytes, view->wide ? sizeof(wide) : 0);
	memcpy(&narrow, bytes, sizeof(narrow));
	view->phoff = view->wide ? wide.e_phoff : narrow.e_phoff;
	view->phentsize = view->wide ? wide.e_phentsize : narrow.e_phentsize;
	view->phnum = view->wide ? wide.e_phnum : narrow.e_phnum;
	return view->phentsize == (view->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
}

/* Offset and size of the loader's name; false when program header i is something else, or lies beyond the n bytes. */
static bool elf_interp(const unsigned char *bytes, size_t n, const struct elf_view *view, unsigned i, uint64_t place[2])
{
	uint64_t at = view->phoff + (uint64_t)i * view->phentsize;
	Elf64_Phdr wide = {0};
	Elf32_Phdr narrow = {0};

	if (view->phoff > n || at + view->phentsize > n)
		return false;
	if (view->wide)
		memcpy(&wide, bytes + at, sizeof(wide));
	else
		memcpy(&narrow, bytes + at, sizeof(narrow));
	place[0] = view->wide ? wide.p_offset : narrow.p_offset;
	place[1] = view->wide ? wide.p_filesz : narrow.p_filesz;
	return (view->wide ? wide.p_type : narrow.p_type) == PT_INTERP;
}

static void parse_elf(const unsigned char *bytes, size_t n, int fd, struct header *header)
{
	struct elf_view view;
	uint64_t place[2];

	header->kind = HEADER_ELF;
	if (!elf_view(bytes, n, &view))
		return;
	for (unsigned i = 0; i < view.phnum; i++) {
		if (!elf_interp(bytes, n, &view, i, place))
			continue;
		if (fd >= 0 && place[1] > 1 && place[1] <= sizeof(header->interp) && place[0] < INT64_MAX &&
		    pread(fd, header->interp, place[1], (off_t)place[0]) != (ssize_t)place[1])
			header->interp[0] = 0;
		header->interp[sizeof(header->interp) - 1] = 0;
		return;
	}
}

void header_parse(const unsigned char *bytes, size_t n, int fd, struct header *header)
{
	*header = (struct header){.kind = HEADER_UNKNOWN};
	if (n >= EI_NIDENT && memcmp(bytes, ELFMAG, SELFMAG) == 0)
		parse_elf(bytes, n, fd, header);
	else if (n >= 2 && bytes[0] == '#' && bytes[1] == '!')
		parse_script(bytes, n, header);
}

static void read_header(int path_fd, struct header *header)
{
	unsigned char bytes[HEADER_BYTES];
	char name[32];
	cleanup_fd int fd = -1;
	long n = 0;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", path_fd);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	n = fd < 0 ? -errno : fd_read_all(fd, bytes, sizeof(bytes));
	*header = (struct header){.kind = HEADER_UNREADABLE};
	if (n >= 0)
		header_parse(bytes, (size_t)n, fd, header);
}

static bool slot_is(const struct header_slot *slot, const struct stat *st)
{
	return slot && slot->dev == st->st_dev && slot->ino == st->st_ino && slot->size == st->st_size &&
	       slot->changed.tv_sec == st->st_ctim.tv_sec && slot->changed.tv_nsec == st->st_ctim.tv_nsec;
}

static struct header_slot **place_of(struct target_cache *cache, dev_t dev, ino_t ino)
{
	return &cache->slot[(ino ^ dev) % HEADER_SLOTS];
}

/*
 * File systems of this machine's disks and memory, for which nobody is asked. All others may be somebody's program
 * (FUSE), another machine, or both.
 */
static bool is_local(int fd)
{
	static const unsigned long local[] = {
		EXT4_SUPER_MAGIC,  XFS_SUPER_MAGIC,       BTRFS_SUPER_MAGIC,    TMPFS_MAGIC,
		RAMFS_MAGIC,       OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,     SQUASHFS_MAGIC,
		ISOFS_SUPER_MAGIC, EROFS_SUPER_MAGIC_V1,  0x2fc12fc1 /* ZFS */, 0xca451a4e /* bcachefs */,
	};
	struct statfs fs;

	for (size_t i = 0; fstatfs(fd, &fs) == 0 && i < sizeof(local) / sizeof(local[0]); i++) {
		if ((unsigned long)fs.f_type == local[i])
			return true;
	}
	return false;
}

void header_learn(struct target_cache *cache, const struct header_slot *slot)
{
	struct header_slot **place = place_of(cache, slot->dev, slot->ino);

	if (!*place)
		*place = malloc(sizeof(**place));
	if (*place)
		**place = *slot;
}

bool header_known(struct target_cache *cache, const struct stat *st, struct header *header)
{
	const struct header_slot *slot = *place_of(cache, st->st_dev, st->st_ino);

	if (!slot_is(slot, st) || !slot->local)
		return false;
	*header = slot->header;
	return true;
}

void header_look(struct target_cache *cache, int fd, const struct stat *st, struct header *header)
{
	const struct header_slot *known = *place_of(cache, st->st_dev, st->st_ino);
	struct header_slot slot = {st->st_dev,  st->st_ino, st->st_size,
	                           st->st_ctim, false,      {.kind = HEADER_UNREADABLE}};

	if (slot_is(known, st)) {
		slot = *known;
	} else {
		slot.local = is_local(fd);
		read_header(fd, &slot.header);
		header_learn(cache, &slot);
	}
	if (cache->n_used < sizeof(cache->used) / sizeof(cache->used[0]))
		cache->used[cache->n_used++] = slot;
	*header = slot.header;
}
