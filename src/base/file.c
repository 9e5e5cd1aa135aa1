/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/file.h>

#include <errno.h>
#include <exectrace/base/buf.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODE 0666 /* of what the user names, less what the umask takes away */
#define READ_STEP (1u << 20)
#define COMMON (O_WRONLY | O_CLOEXEC | O_NOCTTY)

int file_create(int dir, const char *name)
{
	int fd = openat(dir, name, COMMON | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE);

	return fd < 0 ? -errno : fd_high(fd);
}

/* True when nobody but us and root may put names into a directory. */
static bool is_ours_alone(int dir)
{
	struct stat st;

	return fstat(dir, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* What is opened must be what the user would have made there himself. */
static int check(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid != geteuid())
		return -EPERM;
	return !S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode) ? -EINVAL : st.st_nlink > 1 ? -EMLINK : 0;
}

/* In a directory where others may put names. */
static int open_among_others(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, COMMON | flags | O_CREAT | O_EXCL | O_NOFOLLOW, MODE);
	int rc;

	if (fd >= 0 || errno != EEXIST)
		return fd < 0 ? -errno : fd;
	/* It may be a pipe that nobody reads. */
	fd = openat(dir, name, COMMON | flags | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	rc = check(fd);
	if (!rc && !(flags & O_NONBLOCK))
		(void)fcntl(fd, F_SETFL, flags & O_APPEND);
	if (rc)
		fd_close(&fd);
	return rc ? rc : fd;
}

/* Only now: nothing that was not wanted has been touched. */
static int emptied(int fd)
{
	struct stat st;
	int rc = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size && ftruncate(fd, 0) ? -errno : 0;

	if (rc)
		fd_close(&fd);
	return rc ? rc : fd;
}

/*
 * Whether `dir`, which was opened under the name before the last slash of a path, may be what the user meant: where
 * that is a symbolic link now it is the user's or root's, else still the same directory.
 */
static int check_way(int dir, const char *path)
{
	cleanup_buf struct buf name = BUF_INIT;
	const char *slash = strrchr(path, '/');
	struct stat link, st;

	while (slash && slash > path && slash[-1] == '/')
		slash--;
	if (!slash || slash == path)
		return 0;
	if (buf_append(&name, path, (size_t)(slash - path)))
		return -ENOMEM;
	if (lstat(name.data, &link) || fstat(dir, &st))
		return -errno;
	if (S_ISLNK(link.st_mode))
		return link.st_uid == 0 || link.st_uid == geteuid() ? 0 : -ELOOP;
	return link.st_dev == st.st_dev && link.st_ino == st.st_ino ? 0 : -ELOOP;
}

int file_directory_of(const char *path, const char **name)
{
	int dir = fd_directory_of(path, name), rc = dir < 0 ? dir : check_way(dir, path);

	if (rc)
		fd_close(&dir);
	return rc ? rc : dir;
}

int file_open_output(const char *path, int flags, bool empty)
{
	const char *name = NULL;
	cleanup_fd int dir = file_directory_of(path, &name);
	int fd;

	if (dir < 0)
		return dir;
	if (!*name)
		return -EISDIR;
	if (is_ours_alone(dir)) {
		fd = openat(dir, name, COMMON | O_CREAT | flags, MODE);
		fd = fd < 0 ? -errno : fd;
	} else {
		fd = open_among_others(dir, name, flags);
	}
	fd = fd < 0 ? fd : fd_high(fd);
	return fd < 0 || !empty ? fd : emptied(fd);
}

int file_create_in(int dir, const char *path)
{
	const char *slash = strrchr(path, '/');
	int fd;

	if (!dir)
		return file_open_output(path, 0, true);
	fd = file_create(dir, slash ? slash + 1 : path);
	fd_close(&dir);
	return fd;
}

int file_open_regular(int dir, const char *path, int flags)
{
	cleanup_fd int place = openat(dir, path, O_PATH | O_CLOEXEC | flags);
	char again[32];
	struct stat st;
	int fd;

	if (place < 0 || fstat(place, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EMEDIUMTYPE;
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	/* It waits for no lease of another process (fcntl(2), F_SETLEASE). */
	fd = open(again, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int file_temporary_name(struct buf *name)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		return -errno;
	return buf_printf(name, ".exectrace-%016llx", (unsigned long long)number);
}

int file_read_all(int fd, size_t most, struct buf *text)
{
	size_t before = text->len;

	for (;;) {
		long n = buf_reserve(text, READ_STEP);

		if (!n)
			n = fd_read_all(fd, text->data + text->len, READ_STEP);
		if (n <= 0)
			return (int)n;
		text->len += (size_t)n;
		if (text->len - before > most)
			return -EFBIG;
	}
}
