/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/executable/target.h>

#include "header.h"
#include "view.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* What is known of a file that was opened. */
struct target_found {
	struct stat st;
	struct header header;
};

/* What its file system forbids, to everybody. */
static int check_mount(int fd)
{
	struct statvfs fs;

	if (fstatvfs(fd, &fs) == 0 && (fs.f_flag & ST_NOEXEC))
		return -EACCES;
	return 0;
}

/* A look at one exec. */
struct target_look {
	struct target_cache *cache;
	struct view view;
	unsigned words; /* that #! lines put in front of the arguments */
};

/* False where the file would have to be touched, and must not be. */
static bool read_header(struct target_look *look, int fd, struct target_found *found)
{
	if (!look->view.at_once)
		header_look(look->cache, fd, &found->st, &found->header);
	else if (!header_known(look->cache, &found->st, &found->header))
		return false;
	return true;
}

static int check_interp(struct target_look *look, const char *interp, int depth);

static int check_loader(struct target_look *look, const char *interp)
{
	cleanup_fd int loader = view_open(&look->view, AT_FDCWD, interp);

	return loader == -ENOENT || loader == -ENOTDIR ? loader : 0;
}

static int other_format(struct target_look *look)
{
	look->view.waits |= look->view.at_once;
	return look->view.waits || header_other_formats(look->view.tid) ? 0 : -ENOEXEC;
}

static int check_file(struct target_look *look, int fd, int depth, struct target_found *found)
{
	struct view *view = &look->view;
	const struct header *header = &found->header;
	int err = 0;

	if (view_stat(view, fd, &found->st))
		return -EIO;
	if (!S_ISREG(found->st.st_mode) || !(found->st.st_mode & 0111))
		return -EACCES;
	/* Before its file system is asked: of what is known, it is known that it answers by itself. */
	if (view->at_once && !read_header(look, fd, found)) {
		view->waits = true;
		return -EIO;
	}
	err = check_mount(fd);
	if (!err && view_refuses(view, fd, &found->st, S_IXOTH))
		err = -EACCES;
	if (err)
		return err;
	(void)read_header(look, fd, found);
	if (header->kind == HEADER_UNKNOWN)
		return other_format(look);
	if (header->kind == HEADER_SCRIPT) {
		look->words += header->has_arg ? 2 : 1;
		return check_interp(look, header->interp, depth + 1);
	}
	return header->kind == HEADER_ELF && *header->interp ? check_loader(look, header->interp) : 0;
}

static int check_interp(struct target_look *look, const char *interp, int depth)
{
	struct target_found found;
	cleanup_fd int fd = -1;

	if (depth > LOOK_DEPTH)
		return -ELOOP;
	fd = view_open(&look->view, AT_FDCWD, interp);
	if (fd == -EIO)
		return 0;
	return fd < 0 ? fd : check_file(look, fd, depth, &found);
}

static char *path_of(int fd, int *err)
{
	cleanup_buf struct buf path = BUF_INIT;
	char name[32];

	snprintf(name, sizeof(name), "fd/%d", fd);
	*err = proc_link(getpid(), name, &path);
	return *err ? NULL : buf_steal(&path);
}

static void describe(int fd, const struct target_found *found, struct target *target, int *err)
{
	const mode_t setgid = S_ISGID | S_IXGRP; /* without the x bit it means mandatory locking */

	target->exe = path_of(fd, err);
	if (found->header.kind == HEADER_SCRIPT)
		target->interp = strdup(found->header.interp);
	target->setid = (found->st.st_mode & S_ISUID) || (found->st.st_mode & setgid) == setgid;
}

static int look_at(struct target_look *look, int dirfd, const char *path, struct target *target)
{
	struct target_found found = {.header.kind = HEADER_UNREADABLE};
	cleanup_fd int fd = view_open(&look->view, dirfd, path);

	*target = (struct target){0};
	look->cache->n_used = 0;
	target->outcome = fd < 0 ? fd : check_file(look, fd, 0, &found);
	fd_close(&look->view.root);
	if (look->view.waits) {
		*target = (struct target){0};
		return -EAGAIN;
	}
	target->words = look->words;
	if (target->outcome == -EIO)
		target->outcome = 0;
	if (fd >= 0 && !target->outcome)
		describe(fd, &found, target, &look->view.refused);
	target->refused = target->exe ? 0 : look->view.refused;
	return 0;
}

void target_resolve(struct target_cache *cache, pid_t tid, int dirfd, const char *path, struct target *target)
{
	struct target_look look = {.cache = cache, .view = view_of(tid, false)};

	(void)look_at(&look, dirfd, path, target);
}

int target_at_once(struct target_cache *cache, pid_t tid, int dirfd, const char *path, struct target *target)
{
	struct target_look look = {.cache = cache, .view = view_of(tid, true)};

	return look_at(&look, dirfd, path, target);
}

bool target_is_there(struct target_cache *cache, pid_t tid, const char *path)
{
	struct stat st;

	return *path == '/' && strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/dev/", 5) != 0 &&
	       stat_cached(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111) == 0111 &&
	       (geteuid() != 0 || searchable_dirs_open(&cache->ways, path) || proc_owner(tid) == 0);
}

void target_release(struct target *target)
{
	free(target->exe);
	free(target->interp);
	*target = (struct target){0};
}

int target_interpreter(const char *path, char **interp)
{
	unsigned char bytes[HEADER_BYTES];
	cleanup_fd int fd = file_open_regular(AT_FDCWD, path, 0);
	struct header header;
	long n = fd < 0 ? fd : fd_read_all(fd, bytes, sizeof(bytes));

	*interp = NULL;
	if (n < 0)
		return (int)n;
	header_parse(bytes, (size_t)n, fd, &header);
	if (!*header.interp)
		return 0;
	*interp = strdup(header.interp);
	return *interp ? 0 : -ENOMEM;
}
