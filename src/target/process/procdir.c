/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/procdir.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int gone_or(int err)
{
	return err == -ENOENT ? -ESRCH : err;
}

/* NULL: that was the last one, or *err is not 0. */
static const struct dirent *next(DIR *dir, int *err)
{
	const struct dirent *entry;

	errno = 0;
	entry = readdir(dir);
	*err = entry ? 0 : -errno;
	return entry;
}

/* Calls `see` for each number in a directory of /proc/TID. */
static int each_number(pid_t tid, const char *directory, int (*see)(void *user, long number), void *user)
{
	const struct dirent *entry;
	char path[32];
	DIR *dir;
	int err = 0, failed = 0;

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, directory);
	dir = opendir(path);
	if (!dir)
		return gone_or(-errno);
	while (!err && (entry = next(dir, &failed))) {
		if (entry->d_name[0] != '.')
			err = see(user, strtol(entry->d_name, NULL, 10));
	}
	closedir(dir);
	return err ? err : gone_or(failed);
}

struct seeing {
	int (*thread)(void *user, pid_t tid);
	int (*fd)(void *user, pid_t tid, int fd);
	pid_t tid;
	void *user;
};

static int see_thread(void *user, long number)
{
	const struct seeing *seeing = user;

	return seeing->thread(seeing->user, (pid_t)number);
}

static int see_fd(void *user, long number)
{
	const struct seeing *seeing = user;

	return seeing->fd(seeing->user, seeing->tid, (int)number);
}

int proc_threads(pid_t pid, int (*see)(void *user, pid_t tid), void *user)
{
	struct seeing seeing = {.thread = see, .user = user};

	return each_number(pid, "task", see_thread, &seeing);
}

int proc_fds(pid_t tid, int (*see)(void *user, pid_t tid, int fd), void *user)
{
	struct seeing seeing = {.fd = see, .tid = tid, .user = user};

	return each_number(tid, "fd", see_fd, &seeing);
}
