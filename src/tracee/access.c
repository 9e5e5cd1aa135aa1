/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/tracee/access.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/tracee/procfs.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Who asks, and within which root. */
struct asking {
	pid_t tid;
	uid_t uid;
	int root;
};

static bool granted(const struct asking *who, const struct stat *st, mode_t other)
{
	if (who->uid == 0)
		return true;
	if (st->st_uid == who->uid)
		return st->st_mode & other << 6;
	return st->st_mode & (proc_in_group(who->tid, st->st_gid) ? other << 3 : other);
}

/* One step along the path: `other` is what it takes, as the bits for others in a mode. */
static int step(const struct asking *who, const char *path, mode_t other)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	cleanup_fd int fd = (int)syscall(SYS_openat2, who->root, path, &how, sizeof(how));
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return errno == ENOENT || errno == ENOTDIR ? -ENOENT : 0;
	return granted(who, &st, other) ? 0 : -EACCES;
}

int access_read(pid_t tid, const char *path)
{
	cleanup_fd int root = proc_open(tid, "root", O_PATH | O_DIRECTORY);
	struct asking who = {.tid = tid, .root = root};
	struct proc_status status;
	char part[PATH_MAX];
	int err = 0;

	if (root < 0 || proc_status(tid, &status) || strlen(path) >= sizeof(part))
		return 0;
	who.uid = status.euid;
	for (const char *at = strchr(path + 1, '/'); at && !err; at = strchr(at + 1, '/')) {
		memcpy(part, path, (size_t)(at - path));
		part[at - path] = '\0';
		err = step(&who, part, S_IXOTH);
	}
	return err ? err : step(&who, path, S_IROTH);
}
