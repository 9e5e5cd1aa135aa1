/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "searchable_dirs.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void searchable_dirs_release(struct searchable_dirs *ways)
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

int stat_cached(const char *path, struct stat *st)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED};
	cleanup_fd int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	struct statx x;

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_MODE | STATX_INO, &x))
		return -errno;
	*st = (struct stat){.st_dev = makedev(x.stx_dev_major, x.stx_dev_minor),
	                    .st_ino = x.stx_ino,
	                    .st_mode = x.stx_mode};
	return 0;
}

static bool is_open(const char *dir)
{
	struct stat st;

	return stat_cached(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_mode & S_IXOTH;
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

bool searchable_dirs_open(struct searchable_dirs *ways, const char *path)
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
