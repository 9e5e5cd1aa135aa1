/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image.h"

#include <errno.h>
#include <exectrace/base/bound.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/record/places.h>
#include <exectrace/tracee/procfs.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Where 64-bit kernels have themselves: the upper half, up to the page that old programs call. */
#define KERNEL_START (1ull << 63)
#define KERNEL_END 0xffffffffff600000ull

struct image *image_new(void)
{
	struct image *image = calloc(1, sizeof(*image));

	if (image)
		image->users = 1;
	return image;
}

static void drop(struct image *image, size_t i)
{
	free(image->items[i].path);
	memmove(&image->items[i], &image->items[i + 1], (image->n - i - 1) * sizeof(*image->items));
	image->n--;
}

/* Adds at a place. m->path is copied. 0 or -ENOMEM. */
static int insert(struct image *image, size_t i, const struct mapping *m)
{
	char *path = strdup(m->path);

	if (path && image->n == image->cap) {
		size_t cap = image->cap ? 2 * image->cap : 32;
		struct mapping *items = reallocarray(image->items, cap, sizeof(*items));

		if (!items) {
			free(path);
			return -ENOMEM;
		}
		image->items = items;
		image->cap = cap;
	}
	if (!path)
		return -ENOMEM;
	memmove(&image->items[i + 1], &image->items[i], (image->n - i) * sizeof(*image->items));
	image->items[i] = *m;
	image->items[i].path = path;
	image->n++;
	return 0;
}

/* Takes [start, end) out of what is mapped; *place is where that is. 0 or -ENOMEM. */
static int clear(struct image *image, uint64_t start, uint64_t end, size_t *place)
{
	size_t i = BOUND_ABOVE(image->items, image->n, end, start);

	if (i < image->n && image->items[i].start < start) {
		struct mapping behind = image->items[i];

		image->items[i].end = start;
		behind.offset += end - behind.start;
		behind.start = end;
		i++;
		*place = i;
		if (behind.start < behind.end)
			return insert(image, i, &behind);
	}
	while (i < image->n && image->items[i].end <= end)
		drop(image, i);
	if (i < image->n && image->items[i].start < end) {
		image->items[i].offset += end - image->items[i].start;
		image->items[i].start = end;
	}
	*place = i;
	return 0;
}

static int add(struct image *image, const struct mapping *m)
{
	size_t i = 0;
	int err = m->start < m->end ? clear(image, m->start, m->end, &i) : -EINVAL;

	if (err == -EINVAL)
		return 0;
	image->changed = true;
	return err ? err : insert(image, i, m);
}

int image_map(struct image *image, const struct ring_record *record)
{
	/* Nothing that is executed says "//anon", which stands for no name. */
	bool anonymous = strncmp(record->map.path, "//anon", 6) == 0;
	const struct mapping m = {
		.start = record->map.address,
		.end = record->map.address + record->map.size,
		.offset = record->map.offset,
		.device = record->map.device,
		.inode = record->map.inode,
		.path = (char *)(uintptr_t)(anonymous ? "" : record->map.path),
	};

	return record->map.protection & PROT_EXEC ? add(image, &m) : 0;
}

int image_read(struct image *image, pid_t pid)
{
	cleanup_fd int fd = proc_open(pid, "maps", O_RDONLY);
	struct maps maps = MAPS_INIT;
	int err = fd < 0 ? fd : maps_read(fd, &maps);

	for (size_t i = 0; i < maps.n && !err; i++) {
		const struct map *map = &maps.items[i];
		const struct mapping m = {map->start, map->end,   map->offset,
		                          map->dev,   map->inode, (char *)(uintptr_t)map->path};

		if (map->prot & PROT_EXEC)
			err = add(image, &m);
	}
	maps_release(&maps);
	return err;
}

struct image *image_copy(const struct image *image, const struct images *images)
{
	struct image *copy = image_new();
	int err = copy ? code_maps_copy(&copy->maps, images->files, &image->maps) : -ENOMEM;

	for (size_t i = 0; i < image->n && !err; i++)
		err = insert(copy, i, &image->items[i]);
	if (!err) {
		copy->changed = true;
		return copy;
	}
	image_leave(copy, images);
	return NULL;
}

void image_leave(struct image *image, const struct images *images)
{
	if (!image || --image->users)
		return;
	while (image->n)
		drop(image, image->n - 1);
	free(image->items);
	code_maps_release(&image->maps, images->files);
	unwind_space_free(image->unwind);
	free(image);
}

/* --- For unwinding ------------------------------------------------------------------------------------------------ */

/* A file that is deleted is told by its name. */
static void set_path(struct map *map, char *text)
{
	static const char gone[] = " (deleted)";
	size_t n = strlen(text), tail = sizeof(gone) - 1;

	map->deleted = n > tail && strcmp(text + n - tail, gone) == 0;
	if (map->deleted)
		text[n - tail] = '\0';
	map->path = text;
}

static size_t text_size(const struct image *image)
{
	size_t n = sizeof(PLACES_KERNEL);

	for (size_t i = 0; i < image->n; i++)
		n += strlen(image->items[i].path) + 1;
	return n;
}

/* What is mapped, and the kernel, as maps. 0 or -ENOMEM. */
static int make_maps(const struct image *image, struct maps *maps)
{
	char *text = malloc(text_size(image));
	struct map *items = calloc(image->n + 1, sizeof(*items));
	char *at = text;
	size_t n = 0;
	bool kernel = false;

	if (!text || !items) {
		free(text);
		free(items);
		return -ENOMEM;
	}
	for (size_t i = 0; i <= image->n; i++) {
		const struct mapping *m = i < image->n ? &image->items[i] : NULL;

		if (!kernel && (!m || m->start >= KERNEL_START)) {
			items[n] =
				(struct map){KERNEL_START, KERNEL_END, KERNEL_START, 0, 0, at, PROT_EXEC, false, false};
			at = stpcpy(at, PLACES_KERNEL) + 1;
			n++;
			kernel = true;
		}
		if (!m || (m->end > KERNEL_START && m->start < KERNEL_END))
			continue;
		items[n] = (struct map){m->start, m->end, m->offset, m->device, m->inode, at, PROT_READ | PROT_EXEC,
		                        false,    false};
		strcpy(at, m->path);
		set_path(&items[n++], at);
		at += strlen(m->path) + 1;
	}
	*maps = (struct maps){items, n, text};
	return 0;
}

int image_settle(struct image *image, struct images *images, pid_t pid)
{
	struct maps maps = MAPS_INIT;
	int err = 0;

	if (image->unwind && !image->changed)
		return 0;
	if (!image->unwind)
		err = unwind_space_new(images->files->cache, &image->unwind);
	if (!err)
		err = make_maps(image, &maps);
	if (!err)
		err = unwind_space_told(image->unwind, pid, &maps);
	if (!err)
		err = code_maps_update(&image->maps, images->files, image->unwind, pid, &images->sets);
	maps_release(&maps);
	if (!err)
		image->changed = false;
	return err;
}
