/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "path_table.h"

#include <stdlib.h>

#define KEEP_BYTES 4096

static struct fd_path **bucket(struct fd_paths *paths, pid_t tgid, int fd)
{
	return &paths->buckets[((unsigned)fd + (unsigned)tgid * 61u) % PATHS_BUCKETS];
}

struct fd_path *path_table_find(struct fd_paths *paths, pid_t tgid, int fd)
{
	struct fd_path *entry = *bucket(paths, tgid, fd);

	while (entry && (entry->tgid != tgid || entry->fd != fd))
		entry = entry->next;
	return entry;
}

static struct fd_path *make(struct fd_paths *paths, pid_t tgid, int fd)
{
	struct fd_path *entry = path_table_find(paths, tgid, fd), **at = bucket(paths, tgid, fd);

	if (entry)
		return entry;
	entry = calloc(1, sizeof(*entry));
	if (entry) {
		*entry = (struct fd_path){.next = *at, .tgid = tgid, .fd = fd};
		*at = entry;
	}
	return entry;
}

static void release(struct fd_path **at)
{
	struct fd_path *entry = *at;

	*at = entry->next;
	buf_release(&entry->path);
	free(entry);
}

void path_table_drop(struct fd_paths *paths, pid_t tgid, int fd)
{
	struct fd_path **at = bucket(paths, tgid, fd);

	while (*at && ((*at)->tgid != tgid || (*at)->fd != fd))
		at = &(*at)->next;
	if (*at)
		release(at);
}

void path_table_set(struct fd_paths *paths, pid_t tgid, int fd, const char *path, size_t n)
{
	struct fd_path *entry = make(paths, tgid, fd);

	if (!entry)
		return;
	buf_reset(&entry->path, KEEP_BYTES);
	entry->stale = false;
	if (buf_append(&entry->path, path, n))
		path_table_drop(paths, tgid, fd);
}

void path_table_clear(struct fd_paths *paths, pid_t tgid)
{
	for (size_t i = 0; i < PATHS_BUCKETS; i++) {
		struct fd_path **at = &paths->buckets[i];

		while (*at) {
			if (!tgid || (*at)->tgid == tgid)
				release(at);
			else
				at = &(*at)->next;
		}
	}
}
