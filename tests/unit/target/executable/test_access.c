/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What another process may read, against what open(2) says there; most of it needs root. */
#include "tap.h"
#include <errno.h>
#include <exectrace/target/executable/access.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOMEBODY 65534

static char dir[] = "/tmp/test-access.XXXXXX";

/* A file below a directory of its own, with these modes and this group. */
static void make(char *path, mode_t dir_mode, mode_t mode, gid_t group)
{
	static unsigned n;
	char below[64];

	snprintf(below, sizeof(below), "%s/%u", dir, n++);
	snprintf(path, PATH_MAX, "%s/%u/f", dir, n - 1);
	CHECK(mkdir(below, 0700) == 0 && close(open(path, O_CREAT | O_WRONLY, 0600)) == 0);
	CHECK(chown(path, (uid_t)-1, group) == 0 && chmod(path, mode) == 0 && chmod(below, dir_mode) == 0);
}

struct becomes {
	uid_t uid;
	gid_t group; /* supplementary */
	const char *root;
};

/* Whether it can make another file beside that one; it is gone again then. */
static int beside(const char *path)
{
	char name[PATH_MAX + 4];
	int fd;

	snprintf(name, sizeof(name), "%s.new", path);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return errno;
	close(fd);
	return unlink(name) ? errno : 0;
}

/* Tells what open(2) says, of the file and of one beside it, then waits to be looked at. */
static void child(const struct becomes *who, const char *path, int to, int wait)
{
	char answer[2] = "";
	int fd;

	if ((who->root && chroot(who->root)) ||
	    (who->uid && (setgroups(1, &who->group) || setgid(SOMEBODY) || setuid(who->uid))))
		_exit(1);
	fd = open(path, O_RDONLY);
	answer[0] = (char)(fd < 0 ? errno : 0);
	answer[1] = (char)beside(path);
	if (write(to, answer, 2) != 2 || read(wait, answer, 1) < 0)
		_exit(1);
	_exit(0);
}

/* A process that has become somebody: what it may is what it can. */
static void agree(const struct becomes *who, const char *path)
{
	int told[2], ask[2];
	char answer[2] = {-1, -1};
	pid_t pid;

	CHECK(pipe(told) == 0 && pipe(ask) == 0);
	pid = fork();
	if (pid == 0) {
		close(ask[1]);
		child(who, path, told[1], ask[0]);
	}
	close(told[1]);
	close(ask[0]);
	CHECK(read(told[0], answer, 2) == 2);
	CHECK_INT(access_read(pid, path), -answer[0]);
	CHECK_INT(access_create(pid, path), -answer[1]);
	close(ask[1]);
	close(told[0]);
	waitpid(pid, NULL, 0);
}

static void test_modes(void)
{
	static const mode_t dirs[] = {0755, 0700, 0711, 0777, 0722, 0775}, modes[] = {0644, 0600, 0640, 0604};
	const struct becomes root = {0}, nobody = {.uid = SOMEBODY, .group = 1}, member = {.uid = SOMEBODY, .group = 7};
	char path[PATH_MAX];

	for (unsigned i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		for (unsigned j = 0; j < sizeof(modes) / sizeof(modes[0]); j++) {
			make(path, dirs[i], modes[j], 7);
			agree(&root, path);
			agree(&nobody, path);
			agree(&member, path);
		}
	}
}

static void test_root(void)
{
	const struct becomes elsewhere = {.root = dir};
	char path[PATH_MAX];

	make(path, 0755, 0644, 0);
	agree(&elsewhere, path);
	agree(&elsewhere, path + sizeof(dir) - 1);
}

int main(void)
{
	char remove[PATH_MAX];

	CHECK_INT(access_read(getpid(), "/proc/self/status"), 0);
	CHECK_INT(access_read(getpid(), "/nowhere/at/all"), -ENOENT);
	/* Only root may search a file without an x in its mode, and then finds that it is no directory. */
	CHECK_INT(access_read(getpid(), "/proc/self/status/x"), geteuid() ? -EACCES : -ENOENT);
	if (geteuid()) {
		SKIP("what others may read", "needs root");
	} else if (mkdtemp(dir)) {
		CHECK(chmod(dir, 0755) == 0);
		test_modes();
		test_root();
		snprintf(remove, sizeof(remove), "rm -rf %s", dir);
		CHECK_INT(system(remove), 0);
	}
	return TAP_DONE();
}
