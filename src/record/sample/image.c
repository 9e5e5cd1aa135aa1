/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image.h"

#include <errno.h>
#include <exectrace/base/bound.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <exectrace/record/common/places.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

	if (path && grow_array((void **)&image->items, image->n, &image->cap, sizeof(*image->items))) {
		free(path);
		return -ENOMEM;
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

static size_t text_size(const struct image *image, const struct kernel_code *kernel)
{
	size_t n = sizeof(PLACES_KERNEL) + kernel->seen * (sizeof(PLACES_KERNEL) + KERNEL_PATH_MAX);

	for (size_t i = 0; i < image->n; i++)
		n += strlen(image->items[i].path) + 1;
	return n;
}

/* Maps as they are made; there is room. */
struct making {
	struct map *items;
	size_t n;
	char *text; /* where the next path goes */
};

static void add_kernel(struct making *m, uint64_t start, uint64_t end, const char *path)
{
	if (start >= end)
		return;
	m->items[m->n++] = (struct map){start, end, start, 0, 0, m->text, PROT_EXEC, false, false};
	m->text = stpcpy(m->text, path) + 1;
}

/* The kernel, and those of its modules that are of interest. */
static void add_kernel_parts(struct making *m, const struct kernel_code *kernel)
{
	uint64_t at = PLACES_KERNEL_START;

	for (size_t i = 0; i < kernel->n; i++) {
		const struct kernel_part *part = &kernel->parts[i];

		if (!part->seen)
			continue;
		add_kernel(m, at, part->start, PLACES_KERNEL);
		add_kernel(m, part->start, part->end, part->path);
		at = part->end;
	}
	add_kernel(m, at, PLACES_KERNEL_END, PLACES_KERNEL);
}

static void add_mapping(struct making *m, const struct mapping *mapping)
{
	struct map *map = &m->items[m->n++];

	*map = (struct map){mapping->start,        mapping->end,   mapping->offset,
	                    mapping->device,       mapping->inode, m->text,
	                    PROT_READ | PROT_EXEC, false,          false};
	strcpy(m->text, mapping->path);
	set_path(map, m->text);
	m->text += strlen(mapping->path) + 1;
}

/* What is mapped, and the kernel, as maps. 0 or -ENOMEM. */
static int make_maps(const struct image *image, const struct kernel_code *kernel, struct maps *maps)
{
	char *text = malloc(text_size(image, kernel));
	struct map *items = calloc(image->n + 2 * kernel->seen + 1, sizeof(*items));
	struct making m = {.items = items, .text = text};
	size_t i = 0;

	if (!text || !items) {
		free(text);
		free(items);
		return -ENOMEM;
	}
	for (; i < image->n && image->items[i].start < PLACES_KERNEL_START; i++)
		if (image->items[i].end <= PLACES_KERNEL_START)
			add_mapping(&m, &image->items[i]);
	add_kernel_parts(&m, kernel);
	for (; i < image->n; i++)
		if (image->items[i].start >= PLACES_KERNEL_END)
			add_mapping(&m, &image->items[i]);
	*maps = (struct maps){items, m.n, text};
	return 0;
}

int image_settle(struct image *image, struct images *images, pid_t pid)
{
	struct maps maps = MAPS_INIT;
	int err = 0;

	if (image->unwind && !image->changed && image->modules == images->kernel.seen)
		return 0;
	if (!image->unwind)
		err = unwind_space_new(images->files->cache, &image->unwind);
	if (!err)
		err = make_maps(image, &images->kernel, &maps);
	if (!err)
		err = unwind_space_told(image->unwind, pid, &maps);
	if (!err)
		err = code_maps_update(&image->maps, images->files, image->unwind, pid, &images->sets);
	maps_release(&maps);
	if (err)
		return err;
	image->changed = false;
	image->modules = images->kernel.seen;
	return 0;
}
