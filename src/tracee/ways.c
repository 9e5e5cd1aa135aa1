/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ways.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void ways_release(struct ways *ways)
{
	for (size_t i = 0; i < WAYS; i++)
		free(ways->open[i]);
}

/* FNV-1a. */
static uint32_t hash_of(const char *text, size_t n)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

static bool is_open(const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_mode & S_IXOTH;
}

/* The directory that is the first n bytes of a path, and all above it. */
static bool all_open(const char *path, size_t n)
{
	char name[PATH_MAX];
	bool open = n < sizeof(name) && is_open("/");

	for (size_t i = 1; i <= n && open; i++) {
		if (i < n && path[i] != '/')
			continue;
		memcpy(name, path, i);
		name[i] = '\0';
		open = is_open(name);
	}
	return open;
}

bool ways_open(struct ways *ways, const char *path)
{
	size_t n = (size_t)(strrchr(path, '/') - path);
	char **known = &ways->open[hash_of(path, n) % WAYS];

	if (*known && strncmp(*known, path, n) == 0 && !(*known)[n])
		return true;
	if (!all_open(path, n))
		return false;
	free(*known);
	*known = strndup(path, n);
	return true;
}
