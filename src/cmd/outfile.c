/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outfile.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE 0666 /* less what the umask takes away */
#define TRIES 100 /* names of others may be in the way */

/* An unnamed file in the directory of path. */
static int open_unnamed(const char *path)
{
	cleanup_buf struct buf dir = BUF_INIT;
	const char *slash = strrchr(path, '/');
	int r = !slash ? buf_putc(&dir, '.') : buf_append(&dir, path, (size_t)(slash - path) + 1);

	if (r)
		return r;
	r = open(dir.data, O_TMPFILE | O_WRONLY | O_CLOEXEC, MODE);
	return r < 0 ? -errno : r;
}

static int open_named(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, MODE);

	return fd < 0 ? -errno : fd;
}

int outfile_open(struct outfile *out, const char *path)
{
	struct stat st;
	bool exists;
	int fd;

	*out = (struct outfile){STDOUT_FILENO, path ? path : "standard output", NULL};
	if (!path)
		return 0;
	exists = stat(path, &st) == 0;
	fd = exists && (!S_ISREG(st.st_mode) || access(path, W_OK)) ? open_named(path) : open_unnamed(path);
	if (fd >= 0 && (!exists || S_ISREG(st.st_mode))) {
		/* A link stays one: what it leads to is replaced. */
		out->path = exists ? realpath(path, NULL) : strdup(path);
		if (!out->path) {
			fd_close(&fd);
			return -errno;
		}
	} else if (fd == -EOPNOTSUPP || fd == -EISDIR || fd == -EINVAL) {
		fd = open_named(path);
	}
	out->fd = fd;
	return fd < 0 ? fd : 0;
}

/* linkat(2) does not replace, rename(2) does. */
static int give_name(int fd, const char *path)
{
	cleanup_buf struct buf from = BUF_INIT, to = BUF_INIT;
	int r = buf_printf(&from, "/proc/self/fd/%d", fd);

	for (int i = 0; i < TRIES && !r; i++) {
		to.len = 0;
		r = buf_printf(&to, "%s.%d-%d", path, (int)getpid(), i);
		if (r || linkat(AT_FDCWD, from.data, AT_FDCWD, to.data, AT_SYMLINK_FOLLOW) == 0)
			break;
		r = errno == EEXIST && i + 1 < TRIES ? 0 : -errno;
	}
	if (r || rename(to.data, path) == 0)
		return r;
	r = -errno;
	unlink(to.data);
	return r;
}

int outfile_close(struct outfile *out, int rc)
{
	if (!rc && out->path)
		rc = give_name(out->fd, out->path);
	if (out->fd > STDERR_FILENO && close(out->fd) && !rc)
		rc = -errno;
	free(out->path);
	*out = (struct outfile){-1, NULL, NULL};
	return rc;
}
