/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/common/codemaps.h>

#include <errno.h>
#include <exectrace/base/bound.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct code_file *code_file(const struct code_files *files, uint64_t number)
{
	return &files->items[number - 1];
}

static void close_file(struct code_files *files, struct code_file *file)
{
	files->open -= file->elf != NULL;
	elf_unref(file->elf);
	file->elf = NULL;
}

void code_files_close(struct code_files *files)
{
	for (size_t i = 0; i < files->n && files->open; i++) {
		if (!files->items[i].users)
			close_file(files, &files->items[i]);
	}
}

void code_files_release(struct code_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		close_file(files, &files->items[i]);
		free(files->items[i].path);
	}
	free(files->items);
	intern_release(&files->known);
	files->items = NULL;
	files->n = files->cap = 0;
}

static void define(struct code_files *files, struct data_event *event)
{
	if (files->define)
		files->define(files->user, event);
}

/* --- Files --- */

/* The file of a mapping with a reference; NULL when it cannot be read. */
static struct elf *open_file(const struct code_files *files, const struct unwind_space *space, const struct map *map,
                             pid_t tid)
{
	struct elf *elf = NULL;
	char proc[32];

	if (strcmp(map->path, "[vdso]") == 0)
		return unwind_vdso(space) ? elf_ref(unwind_vdso(space)) : NULL;
	snprintf(proc, sizeof(proc), "/proc/%d", (int)tid);
	return map->inode && elf_cache_get(files->cache, map, proc, &elf) == 0 ? elf : NULL;
}

static int add_file(struct code_files *files, const char *path)
{
	if (grow_array((void **)&files->items, files->n, &files->cap, sizeof(*files->items)))
		return -ENOMEM;
	files->items[files->n] = (struct code_file){.path = strdup(path)};
	if (!files->items[files->n].path)
		return -ENOMEM;
	files->n++;
	return 0;
}

/* The number of a file, by its path and what tells it from another one of that path. 0 or -ENOMEM. */
static int number_file(struct code_files *files, const struct map *map, struct elf *elf, uint64_t *number)
{
	cleanup_buf struct buf key = BUF_INIT;
	const unsigned char *id = NULL;
	size_t n = elf ? elf_build_id(elf, &id) : 0;
	struct data_event event = {.type = DATA_FILE};
	bool fresh = false;
	int err = n ? buf_append(&key, id, n) : buf_append(&key, &map->inode, sizeof(map->inode));

	if (!err)
		err = buf_puts(&key, map->path);
	if (!err)
		err = intern(&files->known, key.data, key.len, number, &fresh);
	if (err || !fresh)
		return err;
	err = add_file(files, map->path);
	if (err)
		return err;
	event.file.id = *number;
	event.file.path = (struct data_text){map->path, strlen(map->path)};
	event.file.build_id = (struct data_text){(const char *)id, n};
	define(files, &event);
	return 0;
}

static int fill(struct code_map *to, struct code_files *files, const struct unwind_space *space, const struct map *map,
                pid_t tid)
{
	struct elf *elf = *map->path ? open_file(files, space, map, tid) : NULL;
	int err = 0;

	*to = (struct code_map){.start = map->start, .end = map->end, .offset = map->offset, .prot = map->prot};
	if (elf)
		to->biased = elf_bias(elf, map->start, map->offset, true, &to->bias);
	if (*map->path)
		err = number_file(files, map, elf, &to->file);
	if (!err && elf && !code_file(files, to->file)->elf) {
		code_file(files, to->file)->elf = elf;
		files->open++;
		return 0;
	}
	elf_unref(elf);
	return err;
}

/* --- Sets of maps --- */

static void use(struct code_files *files, const struct code_maps *maps, int more)
{
	for (size_t i = 0; i < maps->n; i++) {
		if (maps->items[i].file)
			code_file(files, maps->items[i].file)->users += (unsigned)more;
	}
}

static bool same_map(const struct code_map *a, const struct code_map *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset && a->file == b->file &&
	       a->prot == b->prot;
}

static bool same_maps(const struct code_maps *a, const struct code_maps *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++) {
		if (!same_map(&a->items[i], &b->items[i]))
			return false;
	}
	return a->n == b->n;
}

static bool has_map(const struct code_maps *maps, const struct code_map *map)
{
	const struct code_map *found = code_maps_find(maps, map->start);

	return found && same_map(found, map);
}

/* Tells how `now` differs from `before`, on which it is based. */
static void define_set(struct code_files *files, const struct code_maps *before, const struct code_maps *now, pid_t pid)
{
	struct data_event event = {.type = DATA_MAPSET, .mapset = {now->set, before->set, (uint32_t)pid}};

	define(files, &event);
	for (size_t i = 0; i < before->n; i++) {
		const struct code_map *map = &before->items[i];

		event = (struct data_event){.type = DATA_UNMAP, .map = {now->set, map->start, map->end, 0, 0, 0}};
		if (!has_map(now, map))
			define(files, &event);
	}
	for (size_t i = 0; i < now->n; i++) {
		const struct code_map *map = &now->items[i];

		event = (struct data_event){
			.type = DATA_MAP,
			.map = {now->set, map->start, map->end, map->offset, map->file, map->prot},
		};
		if (!has_map(before, map))
			define(files, &event);
	}
}

static int collect(struct code_maps *now, struct code_files *files, const struct unwind_space *space, pid_t tid)
{
	const struct maps *maps = unwind_maps(space);
	int err = 0;

	now->items = calloc(maps->n + 1, sizeof(*now->items));
	if (!now->items)
		return -ENOMEM;
	for (size_t i = 0; i < maps->n && !err; i++) {
		if (maps->items[i].prot & PROT_EXEC)
			err = fill(&now->items[now->n++], files, space, &maps->items[i], tid);
	}
	return err;
}

int code_maps_update(struct code_maps *maps, struct code_files *files, const struct unwind_space *space, pid_t tid,
                     uint64_t *sets)
{
	struct code_maps now = {0};
	int err = collect(&now, files, space, tid);

	if (err || (maps->set && same_maps(maps, &now))) {
		free(now.items);
		return err;
	}
	now.set = ++*sets;
	use(files, &now, 1);
	if (files->define)
		define_set(files, maps, &now, tid);
	code_maps_release(maps, files);
	*maps = now;
	return 0;
}

int code_maps_copy(struct code_maps *to, struct code_files *files, const struct code_maps *from)
{
	*to = (struct code_maps){0};
	if (!from->set)
		return 0;
	to->items = calloc(from->n + 1, sizeof(*to->items));
	if (!to->items)
		return -ENOMEM;
	memcpy(to->items, from->items, from->n * sizeof(*to->items));
	to->n = from->n;
	to->set = from->set;
	use(files, to, 1);
	return 0;
}

const struct code_map *code_maps_find(const struct code_maps *maps, uint64_t addr)
{
	size_t i = BOUND_ABOVE(maps->items, maps->n, end, addr);

	return i < maps->n && maps->items[i].start <= addr ? &maps->items[i] : NULL;
}

bool code_maps_overlap(const struct code_maps *maps, uint64_t start, uint64_t n)
{
	for (size_t i = 0; i < maps->n; i++) {
		if (maps->items[i].start < start + n && start < maps->items[i].end)
			return true;
	}
	return false;
}

void code_maps_release(struct code_maps *maps, struct code_files *files)
{
	use(files, maps, -1);
	free(maps->items);
	*maps = (struct code_maps){0};
}
