/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/executable/access.h>

#include "rights.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRIES_MAX 1000

/* One step along the path: `other` is what it takes, as the bit for others in a mode. */
static int step(struct rights *rights, int root, const char *path, mode_t other)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	cleanup_fd int fd = -1;
	struct stat st;

	/* A rename anywhere on the machine disturbs "..": openat2(2) says to try again. */
	for (int tries = 0; fd < 0 && tries < TRIES_MAX; tries++) {
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd < 0 && errno != EAGAIN && errno != EINTR)
			break;
	}
	if (fd < 0 || fstat(fd, &st))
		return errno == ENOENT || errno == ENOTDIR ? -ENOENT : 0;
	return rights_refuse(rights, fd, &st, other) ? -EACCES : 0;
}

/* Whether a thread may search each directory on the way, and has `last` in what is left of the path then. */
static int walk(struct rights *rights, const char *path, bool directory, mode_t last)
{
	cleanup_fd int root = proc_open(rights->tid, "root", O_PATH | O_DIRECTORY);
	char part[PATH_MAX] = "/";
	int err = 0;

	if (root < 0 || strlen(path) >= sizeof(part))
		return 0;
	for (const char *at = strchr(path + 1, '/'); at && !err; at = strchr(at + 1, '/')) {
		memcpy(part, path, (size_t)(at - path));
		part[at - path] = '\0';
		err = step(rights, root, part, S_IXOTH);
	}
	return err ? err : step(rights, root, directory ? part : path, last);
}

int access_read(pid_t tid, const char *path)
{
	struct rights rights = {.tid = tid};

	rights_read(&rights, true);
	return walk(&rights, path, false, S_IROTH);
}

int access_create(pid_t tid, const char *path)
{
	struct rights rights = {.tid = tid};

	rights_read(&rights, false);
	return walk(&rights, path, true, S_IWOTH);
}
