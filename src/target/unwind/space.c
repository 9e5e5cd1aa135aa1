/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is mapped where: kept as long as it is true. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/bound.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CACHE_SIZE 2048       /* frames whose rule libunwind remembers */
#define IMAGE_MAX (16u << 20) /* bytes read of a file that cannot be opened */

int unwind_space_new(struct elf_cache *cache, struct unwind_space **out)
{
	struct unwind_space *space = calloc(1, sizeof(*space));

	if (!space)
		return -ENOMEM;
	space->as = unw_create_addr_space(&unwind_accessors, 0);
	if (!space->as) {
		free(space);
		return -ENOMEM;
	}
	unw_set_caching_policy(space->as, UNW_CACHE_GLOBAL);
	unw_set_cache_size(space->as, CACHE_SIZE, 0);
	space->cache = cache;
	space->stale = true;
	*out = space;
	return 0;
}

static void drop_modules(struct unwind_space *space)
{
	for (size_t i = 0; i < space->n_modules; i++)
		elf_unref(space->modules[i].elf);
	free(space->modules);
	space->modules = NULL;
	space->recent = NULL;
	space->n_modules = 0;
}

void unwind_space_free(struct unwind_space *space)
{
	if (!space)
		return;
	drop_modules(space);
	elf_unref(space->vdso);
	maps_release(&space->maps);
	unw_destroy_addr_space(space->as);
	free(space->steps);
	free(space->stack);
	free(space);
}

void unwind_space_changed(struct unwind_space *space)
{
	space->stale = true;
}

const struct maps *unwind_maps(const struct unwind_space *space)
{
	return &space->maps;
}

struct elf *unwind_vdso(const struct unwind_space *space)
{
	return space->vdso;
}

uint64_t unwind_generation(const struct unwind_space *space)
{
	return space->generation;
}

/* Reads a mapping as an ELF file: the vdso, or the beginning of a file that cannot be opened. */
static struct elf *image_of(const struct unwind_space *space, const struct map *map)
{
	uint64_t n = map->end - map->start;
	cleanup_free void *bytes = n <= IMAGE_MAX ? malloc(n) : NULL;
	struct elf *elf = NULL;

	if (!bytes || mem_read(space->tid, map->start, bytes, n) || elf_open_image(bytes, n, &elf))
		return NULL;
	return elf;
}

/*
 * Our own vdso, which every 64-bit program of this kernel has (vdso(7)). NULL when `map` is that of another kind of
 * program.
 */
static struct elf *own_vdso(const struct map *map)
{
	cleanup_fd int fd = proc_open(getpid(), "maps", O_RDONLY);
	struct maps maps = MAPS_INIT;
	const struct map *own = fd >= 0 && maps_read(fd, &maps) == 0 ? maps_named(&maps, "[vdso]") : NULL;
	struct elf *elf = NULL;

	if (own && map->start > UINT32_MAX && own->end - own->start == map->end - map->start)
		(void)elf_open_image((const void *)(uintptr_t)own->start, own->end - own->start, &elf);
	maps_release(&maps);
	return elf;
}

static void refresh_vdso(struct unwind_space *space)
{
	const struct map *map = maps_named(&space->maps, "[vdso]");
	struct elf *vdso = map ? image_of(space, map) : NULL;

	/* A process that is gone had the vdso that it always had. */
	if (!vdso && map && space->told) {
		if (space->vdso)
			return;
		vdso = own_vdso(map);
	}
	elf_unref(space->vdso);
	space->vdso = vdso;
}

/* The mapping that has the beginning of the same file. */
static const struct map *head_of(const struct unwind_space *space, const struct map *map)
{
	while (map > space->maps.items && map->offset)
		map--;
	return map;
}

/* The file of an executable mapping: itself, or what its memory shows of it. NULL: none. */
static struct elf *file_of(struct unwind_space *space, const struct map *map)
{
	const struct map *head = head_of(space, map);
	struct elf *elf = NULL;
	char proc[32];

	if (strcmp(map->path, "[vdso]") == 0)
		return space->vdso ? elf_ref(space->vdso) : NULL;
	snprintf(proc, sizeof(proc), "/proc/%d", (int)space->tid);
	if (!map->inode)
		return NULL;
	if (elf_cache_get(space->cache, map, proc, &elf) == 0)
		return elf;
	return head->offset == 0 && head->inode == map->inode && head->dev == map->dev ? image_of(space, head) : NULL;
}

static void find_extent(struct unwind_module *m)
{
	size_t n = 0;
	const struct elf_segment *s = elf_segments(m->elf, &n);

	m->low = m->ip_low;
	m->high = m->ip_high;
	for (size_t i = 0; i < n; i++) {
		uint64_t start = m->bias + s[i].vaddr, end = start + s[i].memory;

		if (end < start)
			continue;
		if (start < m->low)
			m->low = start;
		if (end > m->high)
			m->high = end;
	}
}

/* Finds the unwind table, in the file or in memory. */
static void find_table(struct unwind_space *space, struct unwind_module *m)
{
	unsigned char bytes[16];
	uint64_t header = elf_unwind_header(m->elf);
	int err = elf_unwind_table(m->elf, NULL, 0, &m->table);

	if (err == -ENOENT && header && mem_read(space->tid, m->bias + header, bytes, sizeof(bytes)) == 0)
		err = elf_unwind_table(m->elf, bytes, sizeof(bytes), &m->table);
	m->has_table = !err;
	if (err)
		m->index = elf_unwind_index(m->elf, &m->index_base, &m->index_n);
}

static void add_module(struct unwind_space *space, const struct map *map)
{
	struct unwind_module m = {.ip_low = map->start, .ip_high = map->end};

	m.elf = file_of(space, map);
	if (!m.elf)
		return;
	if (!elf_bias(m.elf, map->start, map->offset, true, &m.bias)) {
		elf_unref(m.elf);
		return;
	}
	find_extent(&m);
	find_table(space, &m);
	space->modules[space->n_modules++] = m;
}

/* True when all code of `before` is still where it was: rules that were learnt stay true. */
static bool code_kept(const struct maps *before, const struct maps *after)
{
	for (size_t i = 0; i < before->n; i++) {
		const struct map *a = &before->items[i];
		const struct map *b = a->prot & PROT_EXEC ? maps_find(after, a->start) : a;

		if (!b || b->start != a->start || b->end != a->end || b->offset != a->offset || b->dev != a->dev ||
		    b->inode != a->inode || !(b->prot & PROT_EXEC) != !(a->prot & PROT_EXEC))
			return false;
	}
	return true;
}

static int rebuild(struct unwind_space *space)
{
	drop_modules(space);
	space->modules = calloc(space->maps.n + 1, sizeof(*space->modules));
	if (!space->modules)
		return -ENOMEM;
	refresh_vdso(space);
	for (size_t i = 0; i < space->maps.n; i++)
		if (space->maps.items[i].prot & PROT_EXEC)
			add_module(space, &space->maps.items[i]);
	return 0;
}

/* Takes over what is mapped now. 0 or -ENOMEM. */
static int take_maps(struct unwind_space *space, struct maps *maps)
{
	bool same = space->generation && maps_same_code(&space->maps, maps);
	bool kept = code_kept(&space->maps, maps);

	maps_release(&space->maps);
	space->maps = *maps;
	*maps = MAPS_INIT;
	space->stale = false;
	memset(space->missed, 0, sizeof(space->missed));
	if (same)
		return 0;
	space->generation++;
	if (!kept) {
		unw_flush_cache(space->as, 0, 0);
		memset(space->known, 0, sizeof(space->known));
		if (space->steps)
			memset(space->steps, 0, STEPS * sizeof(*space->steps));
	}
	return rebuild(space);
}

int space_refresh(struct unwind_space *space)
{
	cleanup_fd int fd = -1;
	struct maps maps = MAPS_INIT;
	int err = 0;

	if (!space->stale || space->told)
		return 0;
	fd = proc_open(space->tid, "maps", O_RDONLY);
	err = fd < 0 ? fd : maps_read(fd, &maps);
	if (err)
		return err == -ENOENT ? -ESRCH : err;
	return take_maps(space, &maps);
}

int unwind_space_told(struct unwind_space *space, pid_t tid, struct maps *maps)
{
	space->told = true;
	space->tid = tid;
	return take_maps(space, maps);
}

static struct unwind_module *find_module(struct unwind_space *space, uint64_t ip)
{
	size_t i = BOUND_ABOVE(space->modules, space->n_modules, ip_high, ip);

	return i < space->n_modules && space->modules[i].ip_low <= ip ? &space->modules[i] : NULL;
}

static bool is_missed(const struct unwind_space *space, uint64_t ip)
{
	for (size_t i = 0; i < MISSED; i++)
		if (space->missed[i] == ip)
			return true;
	return false;
}

struct unwind_module *space_module(struct unwind_space *space, uint64_t ip)
{
	struct unwind_module *m = find_module(space, ip);

	if (m || space->told || maps_find(&space->maps, ip) || is_missed(space, ip))
		return m;
	space->stale = true;
	if (space_refresh(space))
		return NULL;
	m = find_module(space, ip);
	if (!m)
		space->missed[space->missed_next++ % MISSED] = ip;
	return m;
}
