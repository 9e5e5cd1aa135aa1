/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A path without its last part: what has to exist where the whole need not. */
static bool directory_of(const char *path, char directory[static PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t n = !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);

	if (!n || n >= PATH_MAX)
		return false;
	memcpy(directory, path, n);
	directory[n] = 0;
	return true;
}

static bool is_below(const char *path, const char *directory)
{
	size_t n = strlen(directory);

	return strcmp(directory, "/") == 0 || (strncmp(path, directory, n) == 0 && (path[n] == '/' || !path[n]));
}

/* "; /mnt (tmpfs) is mounted ro", where the mount of the path has the option. Of mounts on one place the last counts.
 */
static void tell_option(const char *path, const char *option, struct buf *out)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	char directory[PATH_MAX] = "", type[64] = "";
	bool has = false;

	if (!mounts)
		return;
	for (const struct mntent *m; (m = getmntent(mounts));) {
		if (!is_below(path, m->mnt_dir) || strlen(m->mnt_dir) < strlen(directory))
			continue;
		snprintf(directory, sizeof(directory), "%s", m->mnt_dir);
		snprintf(type, sizeof(type), "%s", m->mnt_type);
		has = hasmntopt(m, option);
	}
	endmntent(mounts);
	if (!has)
		return;
	buf_puts(out, "; ");
	page_name(out, directory, COMMAND_MAX);
	buf_puts(out, " (");
	page_name(out, type, COMMAND_MAX);
	buf_printf(out, ") is mounted %s", strcmp(option, "ro") == 0 ? "read-only" : option);
}

/* chattr(1), "ATTRIBUTES"; statx(2), "File attributes". True: it has one of them. */
static bool tell_attribute(const char *path, struct buf *out)
{
	struct statx x;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC, 0, &x) ||
	    !(x.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)))
		return false;
	buf_puts(out, "; ");
	page_name(out, path, COMMAND_MAX);
	buf_puts(out, x.stx_attributes & STATX_ATTR_IMMUTABLE ? " is immutable: chattr +i"
	                                                      : " can only be appended to: chattr +a");
	return true;
}

void page_mount(const struct failure *f, struct buf *out)
{
	char directory[PATH_MAX], real[PATH_MAX];

	if (*f->what != '/' || !directory_of(f->what, directory))
		return;
	if (f->error == EPERM) {
		if (!tell_attribute(f->what, out))
			tell_attribute(directory, out);
		return;
	}
	if (!realpath(f->what, real) && !realpath(directory, real))
		return;
	if (f->error == EROFS)
		tell_option(real, "ro", out);
	else if (f->error == EACCES && strncmp(f->call, "execve", 6) == 0)
		tell_option(real, "noexec", out);
}
