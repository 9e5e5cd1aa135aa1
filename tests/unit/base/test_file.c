/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is opened for writing, and what is left alone, where others may put names. */
#include "program.h"
#include "tap.h"
#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int dir;

static void put(const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK_INT(fd_write_all(fd, text, strlen(text)), 0);
	fd_close(&fd);
}

static long long size_of(const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, 0) ? -errno : (long long)st.st_size;
}

static void creating(void)
{
	struct stat st;
	int fd = file_create(dir, "new");

	CHECK(fd > 2);
	CHECK(fstat(fd, &st) == 0 && (st.st_mode & 07777) == FILE_MODE);
	CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	fd_close(&fd);
	CHECK_INT(file_create(dir, "new"), -EEXIST);
	CHECK_INT(symlinkat("nowhere", dir, "dangling"), 0);
	CHECK_INT(file_create(dir, "dangling"), -EEXIST);
	CHECK_INT(file_create(dir, "no/such"), -ENOENT);
}

/* What file_open_output says of a name; a file is emptied or not. */
static int outcome(const char *name, bool empty)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", scratch_dir, name);
	fd = file_open_output(path, O_NONBLOCK, empty);
	if (fd < 0)
		return fd;
	fd_close(&fd);
	return 0;
}

static void naming(void)
{
	put("target", "text");
	CHECK_INT(symlinkat("target", dir, "link"), 0);
	CHECK_INT(mkfifoat(dir, "pipe", 0600), 0);

	/* A directory of the user's alone: as open(2) does it. */
	CHECK_INT(fchmod(dir, 0755), 0);
	CHECK_INT(outcome("made", true), 0);
	CHECK_INT(outcome("link", false), 0);
	CHECK_INT(size_of("target"), 4);
	CHECK_INT(outcome("link", true), 0);
	CHECK_INT(size_of("target"), 0);
	CHECK_INT(outcome("pipe", true), -ENXIO);
	CHECK_INT(outcome("", true), -EISDIR);
	CHECK_INT(outcome("no/such", true), -ENOENT);

	/* One where others may put names. */
	put("target", "text");
	CHECK_INT(fchmod(dir, 0777), 0);
	CHECK_INT(outcome("link", true), -ELOOP);
	CHECK_INT(outcome("target", false), 0);
	CHECK_INT(linkat(dir, "target", dir, "second", 0), 0);
	CHECK_INT(outcome("second", true), -EMLINK);
	CHECK_INT(size_of("target"), 4);
	CHECK_INT(unlinkat(dir, "second", 0), 0);
	CHECK_INT(outcome("pipe", true), -ENXIO);
	CHECK_INT(outcome("fresh", true), 0);
	if (geteuid() == 0) {
		CHECK_INT(fchownat(dir, "target", 65534, 65534, 0), 0);
		CHECK_INT(outcome("target", true), -EPERM);
		CHECK_INT(size_of("target"), 4);
		CHECK_INT(fchownat(dir, "target", 0, 0, 0), 0);
	}
	CHECK_INT(outcome("target", true), 0);
	CHECK_INT(size_of("target"), 0);
}

/* The directory itself may be a link, but of nobody else's. */
static void ways(void)
{
	CHECK_INT(mkdirat(dir, "real", 0755), 0);
	CHECK_INT(symlinkat("real", dir, "way"), 0);
	CHECK_INT(outcome("real/a", true), 0);
	CHECK_INT(outcome("real//b", true), 0);
	CHECK_INT(outcome("way/c", true), 0);
	CHECK_INT(size_of("real/c"), 0);
	if (geteuid() != 0)
		return;
	CHECK_INT(fchownat(dir, "way", 65534, 65534, AT_SYMLINK_NOFOLLOW), 0);
	CHECK_INT(outcome("way/d", true), -ELOOP);
	CHECK_INT(outcome("way//d", true), -ELOOP);
	CHECK_INT(size_of("real/d"), -ENOENT);
}

int main(void)
{
	scratch_begin(60);
	dir = open(scratch_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	creating();
	naming();
	ways();
	return TAP_DONE();
}
