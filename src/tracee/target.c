/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/tracee/target.h>

#include "header.h"
#include "rights.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/tracee/procfs.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where a thread stands: its root is opened once for all the names that one exec involves. */
struct view {
	pid_t tid;
	int root;    /* -1: not opened yet */
	bool closed; /* the caller may not search a directory on the way */
	struct rights rights;
};

static struct view view_of(pid_t tid)
{
	return (struct view){.tid = tid, .root = -1, .rights.tid = tid};
}

#define STEPS_MAX 64 /* of a walk along a name, its links included: the kernel follows 40 (MAXSYMLINKS) */
#define DEPTH_MAX 5  /* interpreters of interpreters: the kernel's own limit (fs/exec.c, exec_binprm) */

/* Opens path below a directory, absolute links and ".." taken from `root_flag`'s root. A descriptor or -errno. */
static int open_in(int dir, const char *path, unsigned long long root_flag)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = root_flag};
	long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
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

static bool same_root(int root)
{
	struct stat theirs;
	struct stat ours;

	return fstat(root, &theirs) == 0 && stat("/", &ours) == 0 && theirs.st_dev == ours.st_dev &&
	       theirs.st_ino == ours.st_ino;
}

/*
 * Whether a name that was not found leads into /proc: there "self" is us, and the caller may well find what we do not.
 * Follows the name back to the first thing that is missing.
 */
static bool leads_into_proc(int dir, const char *path, unsigned long long root_flag)
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
		parent = open_in(dir, keep ? name : ".", root_flag);
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
	cleanup_fd int fd = open_in(dir, path, root_flag);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && rights_refuse(&view->rights, fd, &st, S_IXOTH);
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
	int fd = open_in(dir, path, root_flag);

	if (fd >= 0 && way_is_closed(view, dir, path, root_flag)) {
		close(fd);
		return -EACCES;
	}
	if (fd != -ENOENT)
		return fd;
	/* The search for a program in PATH: mostly this one call more. */
	fd = open_in(dir, path, root_flag | RESOLVE_NO_SYMLINKS);
	if (fd == -ENOENT && *path == '/' && !strstr(path, "/proc/"))
		return fd;
	fd_close(&fd);
	return leads_into_proc(dir, path, root_flag) ? -EIO : -ENOENT;
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

static int open_relative(struct view *view, int dirfd, const char *path)
{
	char name[32] = "cwd";
	cleanup_fd int dir = -1;

	if (dirfd != AT_FDCWD)
		snprintf(name, sizeof(name), "fd/%d", dirfd);
	if (!same_root(view->root))
		return open_below_root(view, name, path);
	dir = proc_open(view->tid, name, O_PATH);
	if (dir == -ENOENT && dirfd != AT_FDCWD)
		return -EBADF;
	return dir < 0 ? dir : open_sure(view, dir, path, RESOLVE_NO_MAGICLINKS);
}

/* A descriptor (O_PATH) of the file meant; -errno that the exec will fail with; -EIO when that cannot be known. */
static int open_target(struct view *view, int dirfd, const char *path)
{
	char other[4200];
	const char *own = own_proc_path(view->tid, path, other, sizeof(other));
	int fd = -1;

	if (own) {
		fd = open(own, O_PATH | O_CLOEXEC);
		return fd < 0 ? -EIO : fd;
	}
	if (!*path && dirfd != AT_FDCWD) {
		snprintf(other, sizeof(other), "fd/%d", dirfd);
		fd = proc_open(view->tid, other, O_PATH);
		return fd < 0 ? -EIO : fd;
	}
	if (!*path)
		return -ENOENT;
	if (view->root < 0)
		view->root = proc_open(view->tid, "root", O_PATH | O_DIRECTORY);
	if (view->root < 0)
		return -EIO;
	fd = *path == '/' ? open_sure(view, view->root, path, RESOLVE_IN_ROOT) : open_relative(view, dirfd, path);
	if (fd < 0 && fd != -ENOENT && fd != -ENOTDIR && fd != -ENAMETOOLONG && fd != -EBADF &&
	    !(fd == -EACCES && (view->closed || geteuid() != 0))) /* where we may not go, our children may not either */
		return -EIO; /* also a link loop: RESOLVE_IN_ROOT reports links of /proc as one */
	return fd;
}

/* What is known of a file that was opened. */
struct found {
	struct stat st;
	struct header header;
};

/* What the file's type and mode alone forbid, to everybody. */
static int check_mode(int fd, const struct stat *st)
{
	struct statvfs fs;

	if (!S_ISREG(st->st_mode) || !(st->st_mode & 0111))
		return -EACCES;
	if (fstatvfs(fd, &fs) == 0 && (fs.f_flag & ST_NOEXEC))
		return -EACCES;
	return 0;
}

static int check_interp(struct target_cache *cache, struct view *view, const char *interp, int depth);

static int check_file(struct target_cache *cache, struct view *view, int fd, int depth, struct found *found)
{
	struct header *header = &found->header;
	int err = 0;

	if (fstat(fd, &found->st))
		return -EIO;
	err = check_mode(fd, &found->st);
	if (!err && rights_refuse(&view->rights, fd, &found->st, S_IXOTH))
		err = -EACCES;
	if (err)
		return err;
	header_look(cache, fd, &found->st, header);
	if (header->kind == HEADER_UNKNOWN)
		return header_other_formats(cache) ? 0 : -ENOEXEC;
	if (header->kind == HEADER_SCRIPT)
		return check_interp(cache, view, header->interp, depth + 1);
	if (header->kind == HEADER_ELF && *header->interp) {
		cleanup_fd int loader = open_target(view, AT_FDCWD, header->interp);

		return loader == -ENOENT || loader == -ENOTDIR ? loader : 0;
	}
	return 0;
}

static int check_interp(struct target_cache *cache, struct view *view, const char *interp, int depth)
{
	struct found found;
	cleanup_fd int fd = -1;

	if (depth > DEPTH_MAX)
		return -ELOOP;
	fd = open_target(view, AT_FDCWD, interp);
	if (fd == -EIO)
		return 0;
	return fd < 0 ? fd : check_file(cache, view, fd, depth, &found);
}

int header_of_path(struct target_cache *cache, pid_t tid, const char *path, struct header *header)
{
	struct view view = view_of(tid);
	cleanup_fd int fd = open_target(&view, AT_FDCWD, path);
	struct stat st;

	fd_close(&view.root);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	header_look(cache, fd, &st, header);
	return 0;
}

static char *path_of(int fd)
{
	cleanup_buf struct buf path = BUF_INIT;
	char name[32];

	snprintf(name, sizeof(name), "fd/%d", fd);
	return proc_link(getpid(), name, &path) ? NULL : buf_steal(&path);
}

static void describe(int fd, const struct found *found, struct target *target)
{
	const mode_t setgid = S_ISGID | S_IXGRP; /* without the x bit it means mandatory locking */

	target->exe = path_of(fd);
	if (found->header.kind == HEADER_SCRIPT)
		target->interp = strdup(found->header.interp);
	target->setid = (found->st.st_mode & S_ISUID) || (found->st.st_mode & setgid) == setgid;
}

void target_resolve(struct target_cache *cache, pid_t tid, int dirfd, const char *path, struct target *target)
{
	struct found found = {.header.kind = HEADER_UNREADABLE};
	struct view view = view_of(tid);
	cleanup_fd int fd = open_target(&view, dirfd, path);

	*target = (struct target){0};
	target->outcome = fd < 0 ? fd : check_file(cache, &view, fd, 0, &found);
	fd_close(&view.root);
	if (target->outcome == -EIO)
		target->outcome = 0;
	if (fd >= 0 && !target->outcome)
		describe(fd, &found, target);
}

bool target_is_there(struct target_cache *cache, pid_t tid, const char *path)
{
	struct stat st;

	return *path == '/' && strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/dev/", 5) != 0 &&
	       stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111) == 0111 &&
	       (geteuid() != 0 || ways_open(&cache->ways, path) || proc_owner(tid) == 0);
}

void target_release(struct target *target)
{
	free(target->exe);
	free(target->interp);
	*target = (struct target){0};
}
