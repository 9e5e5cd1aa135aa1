/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/output/outfile.h>

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

#define MODE 0666 /* less what the umask takes away */

/* Begins what gets the name `path` in the end: an unnamed file in its directory. 0 or -errno. */
static int open_unnamed(struct outfile *out, const char *path)
{
	const char *name;
	int fd;

	out->dir = file_directory_of(path, &name);
	if (out->dir < 0)
		return out->dir;
	fd = !*name ? -EISDIR : openat(out->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, MODE);
	if (fd < 0) {
		int rc = *name ? -errno : fd;

		fd_close(&out->dir);
		return rc;
	}
	out->fd = fd_high(fd);
	out->to = strdup(name);
	return out->fd < 0 ? out->fd : out->to ? 0 : -ENOMEM;
}

static int open_named(struct outfile *out, const char *path)
{
	out->fd = file_open_output(path, 0, true);
	return out->fd < 0 ? out->fd : 0;
}

/* A link is followed that the user has made, or root: not one that somebody else has put there. */
static int check_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) || !S_ISLNK(st.st_mode) || st.st_uid == 0 || st.st_uid == geteuid() ? 0 : -ELOOP;
}

int outfile_open(struct outfile *out, const char *path)
{
	cleanup_free char *real = NULL;
	struct stat st;
	bool exists;
	int rc;

	*out = (struct outfile){.fd = STDOUT_FILENO, .dir = -1, .name = path ? path : "standard output"};
	if (!path)
		return 0;
	rc = check_link(path);
	if (rc)
		return rc;
	exists = stat(path, &st) == 0;
	if (exists && (!S_ISREG(st.st_mode) || access(path, W_OK)))
		return open_named(out, path);
	/* A link stays one: what it leads to is replaced. */
	real = exists ? realpath(path, NULL) : NULL;
	if (exists && !real)
		return -errno;
	rc = open_unnamed(out, exists ? real : path);
	return rc == -EOPNOTSUPP || rc == -EISDIR || rc == -EINVAL ? open_named(out, path) : rc;
}

/* linkat(2) does not replace, rename(2) does. */
static int give_name(const struct outfile *out)
{
	cleanup_buf struct buf from = BUF_INIT, name = BUF_INIT;
	int rc = buf_printf(&from, "/proc/self/fd/%d", out->fd);

	if (!rc)
		rc = file_temporary_name(&name);
	if (!rc && linkat(AT_FDCWD, from.data, out->dir, name.data, AT_SYMLINK_FOLLOW))
		rc = -errno;
	if (rc || renameat(out->dir, name.data, out->dir, out->to) == 0)
		return rc;
	rc = -errno;
	(void)unlinkat(out->dir, name.data, 0);
	return rc;
}

int outfile_close(struct outfile *out, int rc)
{
	if (!rc && out->to)
		rc = give_name(out);
	if (out->fd > STDERR_FILENO && close(out->fd) && !rc)
		rc = -errno;
	fd_close(&out->dir);
	free(out->to);
	*out = (struct outfile){.fd = -1, .dir = -1};
	return rc;
}
