/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

struct view view_of(pid_t tid, bool at_once)
{
	return (struct view){.tid = tid, .at_once = at_once, .root = -1, .rights = {.tid = tid, .at_once = at_once}};
}

#define STEPS_MAX 64    /* of a walk along a name, its links included: the kernel follows 40 (MAXSYMLINKS) */
#define TRIES_MAX 4000  /* of a walk that renames elsewhere disturb */
#define TRIES_SOON 64   /* ... of them, without a pause */
#define TRIES_AT_ONCE 3 /* ... where nothing may be waited for: it is tried again where that is allowed */

static bool same_root(const struct view *view)
{
	struct stat theirs;
	struct stat ours;

	return view_stat(view, view->root, &theirs) == 0 && stat("/", &ours) == 0 && theirs.st_dev == ours.st_dev &&
	       theirs.st_ino == ours.st_ino;
}

/* Without openat2: where the caller's root is ours, names lead to the same files. */
static int open_by_our_root(struct view *view, int dir, const char *path, unsigned long long root_flag)
{
	bool top = *path == '/';
	int fd = -1;

	if ((top || (root_flag & RESOLVE_IN_ROOT)) && !same_root(view))
		return -EIO;
	if (root_flag & RESOLVE_NO_SYMLINKS)
		return -ELOOP; /* it has to be looked at in full */
	fd = openat(dir, path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/*
 * What openat2(2) means by "try again": a rename or a mount anywhere on the machine while it follows "..", or a signal.
 * With RESOLVE_CACHED also that something has to be read or asked.
 */
static bool try_again(struct view *view, int tries)
{
	const struct timespec moment = {.tv_nsec = 50000};

	if (view->at_once && tries >= TRIES_AT_ONCE)
		return false;
	if (tries >= TRIES_SOON)
		nanosleep(&moment, NULL);
	return tries < TRIES_MAX;
}

/*
 * Opens path below a directory, absolute links and ".." taken from `root_flag`'s root. A descriptor or -errno; -EIO
 * when that cannot be known, or not without waiting.
 */
static int open_in(struct view *view, int dir, const char *path, unsigned long long root_flag)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
	                       .resolve = root_flag | (view->at_once ? RESOLVE_CACHED : 0)};
	int tries = view->at_once && !strstr(path, "..") ? TRIES_AT_ONCE : 0;
	long fd = 0;
	int err = 0;

	do {
		fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
		err = fd < 0 ? -errno : 0;
	} while ((err == -EAGAIN || err == -EINTR) && try_again(view, tries++));
	if (!err)
		return (int)fd;
	if (view->at_once && (err == -EAGAIN || err == -EINVAL || err == -ENOSYS || err == -EPERM)) {
		view->waits = true; /* before Linux 5.12 nothing is known of what is cached */
		return -EIO;
	}
	fd = err;
	if (err == -ENOSYS || err == -EPERM)
		fd = open_by_our_root(view, dir, path, root_flag);
	if (fd != -EIO && fd != -EAGAIN && fd != -EMFILE && fd != -ENFILE && fd != -ENOMEM)
		return (int)fd;
	view->refused = err;
	return -EIO;
}

int view_stat(const struct view *view, int fd, struct stat *st)
{
	struct statx x;

	if (!view->at_once)
		return fstat(fd, st);
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &x))
		return -1;
	*st = (struct stat){.st_dev = makedev(x.stx_dev_major, x.stx_dev_minor),
	                    .st_ino = x.stx_ino,
	                    .st_mode = x.stx_mode,
	                    .st_uid = x.stx_uid,
	                    .st_gid = x.stx_gid,
	                    .st_size = (off_t)x.stx_size,
	                    .st_ctim = {x.stx_ctime.tv_sec, x.stx_ctime.tv_nsec}};
	return 0;
}

bool view_refuses(struct view *view, int fd, const struct stat *st, mode_t other)
{
	bool refused = rights_refuse(&view->rights, fd, st, other);

	view->waits |= view->rights.waits;
	return refused;
}

/* A path through /proc/self or /dev/fd names another thing for every process: name the caller's. NULL when it is not
 * such a path. */
static const char *own_proc_path(pid_t tid, const char *path, char *to, size_t n)
{
	if (strncmp(path, "/proc/self/", 11) == 0)
		snprintf(to, n, "/proc/%d/%s", (int)tid, path + 11);
	else if (strncmp(path, "/proc/thread-self/", 18) == 0)
		snprintf(to, n, "/proc/%d/%s", (int)tid, path + 18);
	else if (strncmp(path, "/dev/fd/", 8) == 0)
		snprintf(to, n, "/proc/%d/fd/%s", (int)tid, path + 8);
	else
		return NULL;
	return to;
}

/*
 * Whether a name that was not found leads into /proc: there "self" is us, and the caller may well find what we do not.
 * Follows the name back to the first thing that is missing.
 */
static bool leads_into_proc(struct view *view, int dir, const char *path, unsigned long long root_flag)
{
	char name[2 * PATH_MAX];
	char link[PATH_MAX];
	struct statfs fs;

	if (snprintf(name, sizeof(name), "%s", path) >= PATH_MAX)
		return false;
	for (int steps = 0; steps < STEPS_MAX; steps++) {
		char *slash = strrchr(name, '/');
		char *last = slash ? slash + 1 : name;
		size_t keep = (size_t)(last - name); /* of the name, what is before its last part */
		char end = *last;
		cleanup_fd int parent = -1;
		ssize_t n = 0;

		*last = 0;
		parent = open_in(view, dir, keep ? name : ".", root_flag);
		*last = end;
		if (parent == -ENOENT && keep > 1) {
			*slash = 0;
			continue;
		}
		if (parent < 0 || fstatfs(parent, &fs))
			return parent == -ELOOP;
		if (fs.f_type == PROC_SUPER_MAGIC)
			return true;
		n = end ? readlinkat(parent, last, link, sizeof(link)) : -1;
		if (n < 0 || n == sizeof(link))
			return false;
		link[n] = 0;
		if (*link == '/')
			keep = 0;
		if (keep + (size_t)n >= sizeof(name))
			return false;
		memcpy(name + keep, link, (size_t)n + 1);
	}
	return false;
}

static bool is_closed(struct view *view, int dir, const char *path, unsigned long long root_flag)
{
	cleanup_fd int fd = open_in(view, dir, path, root_flag);
	struct stat st;

	return fd >= 0 && view_stat(view, fd, &st) == 0 && view_refuses(view, fd, &st, S_IXOTH);
}

/* Whether root, who gets everywhere, comes along a path that its caller does not. Where links lead is not looked at. */
static bool way_is_closed(struct view *view, int dir, const char *path, unsigned long long root_flag)
{
	char name[PATH_MAX];
	size_t n = strlen(path);

	if (geteuid() != 0 || n >= sizeof(name) || proc_owner(view->tid) == 0)
		return false;
	view->closed = is_closed(view, dir, *path == '/' ? "/" : ".", root_flag);
	for (size_t i = 1; i < n && !view->closed; i++) {
		if (path[i] != '/' || path[i - 1] == '/')
			continue;
		memcpy(name, path, i);
		name[i] = 0;
		view->closed = is_closed(view, dir, name, root_flag);
	}
	return view->closed;
}

/* As open_in; -EIO when the caller may find what we do not. */
static int open_sure(struct view *view, int dir, const char *path, unsigned long long root_flag)
{
	int fd = open_in(view, dir, path, root_flag);

	if (fd >= 0 && way_is_closed(view, dir, path, root_flag)) {
		close(fd);
		return -EACCES;
	}
	if (fd != -ENOENT)
		return fd;
	/* The search for a program in PATH: mostly this one call more. */
	fd = open_in(view, dir, path, root_flag | RESOLVE_NO_SYMLINKS);
	if (fd == -ENOENT && *path == '/' && !strstr(path, "/proc/"))
		return fd;
	fd_close(&fd);
	view->waits |= view->at_once;
	if (view->waits)
		return -EIO;
	return leads_into_proc(view, dir, path, root_flag) ? -EIO : -ENOENT;
}

/* A relative path of a process with another root: its directory's path within that root, and the rest. */
static int open_below_root(struct view *view, const char *dir, const char *path)
{
	cleanup_buf struct buf top = BUF_INIT;
	cleanup_buf struct buf full = BUF_INIT;
	size_t skip = 0;

	if (proc_link(view->tid, "root", &top) || proc_link(view->tid, dir, &full) || buf_putc(&full, '/') ||
	    buf_puts(&full, path))
		return -EIO;
	if (top.len > 1) {
		if (strncmp(full.data, top.data, top.len) != 0 || full.data[top.len] != '/')
			return -EIO; /* it stands outside its root */
		skip = top.len;
	}
	return open_sure(view, view->root, full.data + skip, RESOLVE_IN_ROOT);
}

/*
 * Something of the process's /proc could not be opened. What is refused stays so; a caller with descriptors of his own
 * may yet have what was short or failed by chance. Nothing is said of a process that is gone. -EIO.
 */
static int cannot(struct view *view, int err)
{
	if (err == -ENOENT || err == -ESRCH)
		return -EIO;
	view->refused = err;
	view->waits |= view->at_once && err != -EACCES && err != -EPERM;
	return -EIO;
}

static int open_relative(struct view *view, int dirfd, const char *path)
{
	char name[32] = "cwd";
	cleanup_fd int dir = -1;

	if (dirfd != AT_FDCWD)
		snprintf(name, sizeof(name), "fd/%d", dirfd);
	if (!same_root(view))
		return open_below_root(view, name, path);
	dir = proc_open(view->tid, name, O_PATH);
	if (dir == -ENOENT && dirfd != AT_FDCWD)
		return -EBADF;
	return dir < 0 ? cannot(view, dir) : open_sure(view, dir, path, RESOLVE_NO_MAGICLINKS);
}

int view_open(struct view *view, int dirfd, const char *path)
{
	char other[4200];
	const char *own = own_proc_path(view->tid, path, other, sizeof(other));
	int fd = -1;

	if (own) {
		view->waits |= view->at_once;
		if (view->waits)
			return -EIO;
		fd = open(own, O_PATH | O_CLOEXEC);
		return fd < 0 ? -EIO : fd;
	}
	if (!*path && dirfd != AT_FDCWD) {
		snprintf(other, sizeof(other), "fd/%d", dirfd);
		fd = proc_open(view->tid, other, O_PATH);
		return fd < 0 ? cannot(view, fd) : fd;
	}
	if (!*path)
		return -ENOENT;
	if (view->root < 0)
		view->root = proc_open(view->tid, "root", O_PATH | O_DIRECTORY);
	if (view->root < 0)
		return cannot(view, view->root);
	fd = *path == '/' ? open_sure(view, view->root, path, RESOLVE_IN_ROOT) : open_relative(view, dirfd, path);
	if (fd < 0 && fd != -ENOENT && fd != -ENOTDIR && fd != -ENAMETOOLONG && fd != -EBADF &&
	    !(fd == -EACCES && (view->closed || geteuid() != 0))) /* where we may not go, our children may not either */
		return -EIO; /* also a link loop: RESOLVE_IN_ROOT reports links of /proc as one */
	return fd;
}
