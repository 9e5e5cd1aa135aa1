/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE 0777 /* less what the umask takes away */

/* Without slashes at the end. */
static int trimmed(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return (int)n;
}

static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool empty = dir != NULL;

	while (empty && (entry = readdir(dir)))
		empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	if (dir)
		closedir(dir);
	return empty;
}

int outdir_open(struct outdir *out, const char *path)
{
	struct stat st;

	*out = (struct outdir){.path = path};
	if (lstat(path, &st) == 0 && !(S_ISDIR(st.st_mode) && is_empty(path)))
		return S_ISDIR(st.st_mode) ? -ENOTEMPTY : -EEXIST;
	if (asprintf(&out->made, "%.*s.%d", trimmed(path), path, (int)getpid()) < 0) {
		out->made = NULL;
		return -ENOMEM;
	}
	if (mkdir(out->made, MODE) == 0)
		return 0;
	free(out->made);
	out->made = NULL;
	return -errno;
}

static void remove_all(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

int outdir_close(struct outdir *out, int rc)
{
	if (!out->made)
		return rc;
	if (!rc && rename(out->made, out->path))
		rc = -errno;
	if (rc)
		remove_all(out->made);
	free(out->made);
	out->made = NULL;
	return rc;
}
