/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/symbol/elfcache.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/file.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct elfcache_entry {
	uint64_t dev, inode;
	struct elf *elf; /* NULL: free */
	uint64_t used;   /* the clock when it was asked for last */
};

struct elf_cache {
	uint64_t clock;
	size_t max;
	struct elfcache_entry entries[];
};

int elf_cache_new(size_t max, struct elf_cache **cache)
{
	if (!max)
		max = 1;
	*cache = calloc(1, sizeof(**cache) + max * sizeof(struct elfcache_entry));
	if (!*cache)
		return -ENOMEM;
	(*cache)->max = max;
	return 0;
}

void elf_cache_free(struct elf_cache *cache)
{
	for (size_t i = 0; cache && i < cache->max; i++)
		elf_unref(cache->entries[i].elf);
	free(cache);
}

size_t elf_cache_count(const struct elf_cache *cache)
{
	size_t n = 0;

	for (size_t i = 0; i < cache->max; i++)
		n += cache->entries[i].elf != NULL;
	return n;
}

static void drop(struct elfcache_entry *entry)
{
	elf_unref(entry->elf);
	*entry = (struct elfcache_entry){0};
}

/* The open file of that identity. One that was changed in place is given up. */
static struct elf *find(struct elf_cache *cache, const struct map *map)
{
	for (size_t i = 0; i < cache->max; i++) {
		struct elfcache_entry *e = &cache->entries[i];

		if (!e->elf || e->inode != map->inode || e->dev != map->dev)
			continue;
		if (elf_is_current(e->elf)) {
			e->used = ++cache->clock;
			return e->elf;
		}
		drop(e);
		return NULL;
	}
	return NULL;
}

static void insert(struct elf_cache *cache, const struct map *map, struct elf *elf)
{
	struct elfcache_entry *place = &cache->entries[0];

	for (size_t i = 1; i < cache->max; i++)
		if (cache->entries[i].used < place->used)
			place = &cache->entries[i];
	drop(place);
	*place = (struct elfcache_entry){map->dev, map->inode, elf_ref(elf), ++cache->clock};
}

/* Opens path when it is the mapped file. Its device may differ from what maps tell (btrfs, overlayfs). */
static int try(const char *path, uint64_t inode, struct elf **elf)
{
	cleanup_fd int fd = file_open_regular(AT_FDCWD, path, 0);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return fd < 0 ? fd : -errno;
	return (uint64_t)st.st_ino == inode ? elf_open_fd(fd, elf) : -ENOENT;
}

/* True when the process has no root any more, which a zombie has not either; see proc_pid_root(5). */
static bool is_gone(const char *proc)
{
	char path[64], root[1];

	snprintf(path, sizeof(path), "%s/root", proc);
	return readlink(path, root, sizeof(root)) < 0 && errno != EACCES && errno != EPERM;
}

static int look(const struct map *map, const char *proc, struct elf **elf)
{
	cleanup_buf struct buf path = BUF_INIT;
	int err = -ENOENT;

	if (map->path[0] == '/' && !map->deleted) {
		if (buf_printf(&path, "%s%s%s", proc ? proc : "", proc ? "/root" : "", map->path))
			return -ENOMEM;
		err = try(path.data, map->inode, elf);
	}
	if (err && proc) {
		buf_reset(&path, SIZE_MAX);
		if (buf_printf(&path, "%s/map_files/%llx-%llx", proc, (unsigned long long)map->start,
		               (unsigned long long)map->end))
			return -ENOMEM;
		err = try(path.data, map->inode, elf);
	}
	if (err && proc) {
		buf_reset(&path, SIZE_MAX);
		if (buf_printf(&path, "%s/exe", proc))
			return -ENOMEM;
		err = try(path.data, map->inode, elf);
	}
	if (err && proc && map->path[0] == '/' && !map->deleted && is_gone(proc))
		err = try(map->path, map->inode, elf);
	return err;
}

int elf_cache_get(struct elf_cache *cache, const struct map *map, const char *proc, struct elf **elf)
{
	struct elf *found = NULL;
	int err = 0;

	if (!map->inode)
		return -ENOENT;
	found = find(cache, map);
	if (found) {
		*elf = elf_ref(found);
		return 0;
	}
	err = look(map, proc, elf);
	if (!err)
		insert(cache, map, *elf);
	return err;
}
