/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/output/outdir.h>

#include <dirent.h>
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/file.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE 0777 /* less what the umask takes away */
#define OPENING (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Without slashes at the end. */
static char *trimmed(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return strndup(path, n);
}

static DIR *list(int fd)
{
	int copy = openat(fd, ".", OPENING);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (!dir)
		fd_close(&copy);
	return dir;
}

/* The next entry that is not the directory or its parent. */
static const char *next(DIR *dir)
{
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			return entry->d_name;
	return NULL;
}

static bool is_empty(int fd)
{
	DIR *dir = list(fd);
	bool empty = dir && !next(dir);

	if (dir)
		closedir(dir);
	return empty;
}

static void remove_files(int fd)
{
	DIR *dir = list(fd);
	const char *name;

	while ((name = next(dir)))
		(void)unlinkat(fd, name, 0);
	if (dir)
		closedir(dir);
}

/* What has the name already may be an empty directory only. */
static int check(int parent, const char *name)
{
	cleanup_fd int fd = openat(parent, name, OPENING);

	if (fd < 0)
		return errno == ENOENT ? 0 : errno == ENOTDIR || errno == ELOOP ? -EEXIST : -errno;
	return is_empty(fd) ? 0 : -ENOTEMPTY;
}

static int make(struct outdir *out)
{
	int rc = file_temporary_name(&out->made);

	if (rc)
		return rc;
	if (mkdirat(out->parent, out->made.data, MODE))
		return -errno;
	rc = openat(out->parent, out->made.data, OPENING);
	rc = rc < 0 ? -errno : fd_high(rc);
	if (rc < 0)
		(void)unlinkat(out->parent, out->made.data, AT_REMOVEDIR);
	else
		out->fd = rc;
	return rc < 0 ? rc : 0;
}

static void release(struct outdir *out)
{
	if (out->fd)
		fd_close(&out->fd);
	fd_close(&out->parent);
	buf_release(&out->made);
	free(out->path);
	*out = (struct outdir){.parent = -1};
}

int outdir_open(struct outdir *out, const char *path)
{
	int rc;

	*out = (struct outdir){.path = trimmed(path), .parent = -1};
	if (!out->path)
		return -ENOMEM;
	rc = out->parent = file_directory_of(out->path, &out->name);
	if (rc >= 0)
		rc = !*out->name ? -EEXIST : check(out->parent, out->name);
	if (!rc)
		rc = make(out);
	if (rc)
		release(out);
	return rc;
}

int outdir_close(struct outdir *out, int rc)
{
	if (!out->path)
		return rc;
	if (!rc && renameat(out->parent, out->made.data, out->parent, out->name))
		rc = -errno;
	if (rc) {
		remove_files(out->fd);
		(void)unlinkat(out->parent, out->made.data, AT_REMOVEDIR);
	}
	release(out);
	return rc;
}
