/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that live for some milliseconds make most of their calls from sites of files that others have mapped before.
 * What was found at a site once holds wherever the same file is mapped: its sites are patched at once then, without a
 * stop for each.
 */
#include "sites.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/symbol/maps.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

struct known_site {
	uint64_t offset; /* of its `syscall`, in the file */
	uint8_t len;     /* struct site */
	struct text text;
};

/* By what the kernel says of a mapping: to look at the file could take long. Whether it is still as it was, text says.
 */
struct learned {
	struct learned *next;
	uint64_t dev, inode;
	struct known_site *sites;
	size_t n, room;
};

static bool read_maps(pid_t tid, struct maps *maps)
{
	cleanup_fd int fd = proc_open(tid, "maps", O_RDONLY);

	return fd >= 0 && maps_read(fd, maps) == 0;
}

static struct learned *find(const struct inside *inside, const struct map *map)
{
	struct learned *file = inside->learned;

	while (file && (file->dev != map->dev || file->inode != map->inode))
		file = file->next;
	return file;
}

static struct learned *find_or_make(struct inside *inside, const struct map *map)
{
	struct learned *file = find(inside, map);

	if (file || !map->inode)
		return file;
	file = calloc(1, sizeof(*file));
	if (file) {
		file->dev = map->dev;
		file->inode = map->inode;
		file->next = inside->learned;
		inside->learned = file;
	}
	return file;
}

static void add(struct learned *file, uint64_t offset, unsigned len, const struct text *text)
{
	struct known_site *site = NULL;

	for (size_t i = 0; i < file->n && !site; i++)
		site = file->sites[i].offset == offset ? &file->sites[i] : NULL;
	if (!site && grow_array((void **)&file->sites, file->n, &file->room, sizeof(*file->sites)) == 0)
		site = &file->sites[file->n++];
	if (!site)
		return;
	site->offset = offset;
	site->len = (uint8_t)len;
	site->text = *text; /* the file may be another by now */
}

void learn(const struct inside_thread *thread, uint64_t at, unsigned len, const struct text *text)
{
	struct maps maps = MAPS_INIT;
	const struct map *map;
	struct learned *file;

	if (!read_maps(thread->tid, &maps))
		return;
	map = maps_find(&maps, at);
	file = map ? find_or_make(thread->inside, map) : NULL;
	if (file)
		add(file, at - map->start + map->offset, len, text);
	maps_release(&maps);
}

/* Where the text of a site is in this mapping. 0: not there. */
static uint64_t site_in(const struct map *map, const struct known_site *known)
{
	uint64_t into = known->offset - map->offset;

	return into >= known->len && into < map->end - map->start ? map->start + into : 0;
}

static void foresee(struct texts *texts, const struct map *map, const struct learned *file, struct foreseen *foreseen)
{
	for (size_t i = 0; i < file->n; i++) {
		uint64_t at = site_in(map, &file->sites[i]);

		if (!at)
			continue;
		patch_foresee(texts->thread, foreseen, at, file->sites[i].len, file->sites[i].text.bytes);
		texts_want(texts, at, map->start, map->end);
	}
}

static void apply(struct texts *texts, const struct map *map, const struct learned *file)
{
	struct space *space = texts->thread->space;

	space->applied[space->n_applied++] = (struct range){map->start, map->end};
	for (size_t i = 0; i < file->n; i++) {
		uint64_t at = site_in(map, &file->sites[i]);

		if (at && texts->read)
			patch_known(texts->thread, texts, at, file->sites[i].len, file->sites[i].text.bytes);
	}
}

static bool holds(const struct map *map, uint64_t at)
{
	return map->start <= at && at < map->end;
}

/*
 * Whether the process has made a call from there, itself. What interprets other programs (valgrind, for one) maps their
 * files as they would, but reads the text, and does not know the memory that a jump there would lead to.
 */
static bool is_executed(const struct space *space, const struct map *map)
{
	for (unsigned i = 0; i < space->n_executed; i++) {
		if (holds(map, space->executed[i]))
			return true;
	}
	return false;
}

/* What is known of a mapping of text that holds `at`; 0: of any that is executed. NULL: nothing. */
static const struct learned *known_of(const struct inside_thread *thread, const struct map *map, uint64_t at)
{
	if (!map->inode || !(map->prot & PROT_EXEC))
		return NULL;
	return (at ? holds(map, at) : is_executed(thread->space, map)) ? find(thread->inside, map) : NULL;
}

static bool was_applied(const struct space *space, uint64_t at)
{
	for (unsigned i = 0; i < space->n_applied; i++) {
		if (space->applied[i].start <= at && at < space->applied[i].end)
			return true;
	}
	return false;
}

static void apply_all(struct inside_thread *thread, const struct maps *maps, uint64_t at)
{
	struct foreseen foreseen = {.n = 0};
	const struct learned *file;
	struct texts texts;

	texts_begin(&texts, thread);
	for (size_t i = 0; i < maps->n; i++) {
		file = known_of(thread, &maps->items[i], at);
		if (file)
			foresee(&texts, &maps->items[i], file, &foreseen);
	}
	patch_provide(thread, &foreseen);
	(void)texts_read(&texts);
	for (size_t i = 0; i < maps->n && thread->space->n_applied < APPLIED; i++) {
		file = known_of(thread, &maps->items[i], at);
		if (file)
			apply(&texts, &maps->items[i], file);
	}
	texts_end(&texts);
}

bool learned_apply(struct inside_thread *thread, uint64_t at)
{
	const struct inside *inside = thread->inside;
	struct maps maps = MAPS_INIT;
	const struct site *site;

	if (!inside->learned || was_applied(thread->space, at) || !read_maps(thread->tid, &maps))
		return false;
	apply_all(thread, &maps, at);
	maps_release(&maps);
	site = at ? space_site(thread->space, at, false) : NULL;
	return site && site->stub;
}

/* 0: not known. Two paths with one hash do no harm. */
static uint64_t program_of(pid_t tid)
{
	cleanup_buf struct buf path = BUF_INIT;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	if (proc_link(tid, "exe", &path))
		return 0;
	for (size_t i = 0; i < path.len; i++)
		hash = (hash ^ (unsigned char)path.data[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
	return hash;
}

void learn_long(const struct inside_thread *thread)
{
	struct inside *inside = thread->inside;

	if (!learned_long(thread) && grow_array((void **)&inside->lasting, inside->n_lasting, &inside->room_lasting,
	                                        sizeof(*inside->lasting)) == 0)
		inside->lasting[inside->n_lasting++] = program_of(thread->tid);
}

bool learned_long(const struct inside_thread *thread)
{
	const struct inside *inside = thread->inside;
	uint64_t program = inside->n_lasting ? program_of(thread->tid) : 0;

	for (size_t i = 0; i < inside->n_lasting && program; i++) {
		if (inside->lasting[i] == program)
			return true;
	}
	return false;
}

void learned_free(struct learned *learned)
{
	while (learned) {
		struct learned *next = learned->next;

		free(learned->sites);
		free(learned);
		learned = next;
	}
}
