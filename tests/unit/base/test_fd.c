/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static bool is_cloexec(int fd)
{
	return fcntl(fd, F_GETFD) == FD_CLOEXEC;
}

static void closing(void)
{
	int fd = dup(1), was = fd;

	errno = 42;
	fd_close(&fd);
	CHECK_INT(fd, -1);
	CHECK_INT(errno, 42);
	fd_close(&fd);
	CHECK_INT(errno, 42);
	CHECK(!is_open(was));
}

static void high(void)
{
	int saved = fcntl(0, F_DUPFD_CLOEXEC, 10), fd;

	close(0);
	fd = open("/dev/null", O_RDONLY);
	CHECK_INT(fd, 0);
	fd = fd_high(fd);
	CHECK(fd > 2);
	CHECK(is_cloexec(fd));
	CHECK(!is_open(0));
	CHECK_INT(fd_high(fd), fd);
	fd_close(&fd);
	fd = fd_high(dup2(saved, 20));
	CHECK_INT(fd, 20);
	CHECK(is_cloexec(fd));
	fd_close(&fd);
	CHECK_INT(fd_high(-1), -EBADF);
	CHECK_INT(fd_high(21), -EBADF);
	dup2(saved, 0);
	close(saved);
}

static void pairs(void)
{
	int saved = fcntl(0, F_DUPFD_CLOEXEC, 10), ends[2];
	char c = 0;

	close(0);
	CHECK_INT(fd_pipe(ends, O_NONBLOCK), 0);
	CHECK(ends[0] > 2 && ends[1] > 2 && !is_open(0));
	CHECK(is_cloexec(ends[0]) && is_cloexec(ends[1]));
	CHECK(fcntl(ends[0], F_GETFL) & O_NONBLOCK);
	CHECK(write(ends[1], "x", 1) == 1 && read(ends[0], &c, 1) == 1 && c == 'x');
	fd_close(&ends[0]);
	fd_close(&ends[1]);
	CHECK_INT(fd_socketpair(ends), 0);
	CHECK(ends[0] > 2 && ends[1] > 2 && !is_open(0));
	CHECK(is_cloexec(ends[0]) && is_cloexec(ends[1]));
	fd_close(&ends[0]);
	fd_close(&ends[1]);
	dup2(saved, 0);
	close(saved);
}

static void sending(void)
{
	int sock[2], pipe_ends[2], got;
	char c = 0;

	CHECK_INT(fd_socketpair(sock), 0);
	CHECK_INT(fd_pipe(pipe_ends, 0), 0);
	CHECK_INT(fd_send(sock[0], pipe_ends[1]), 0);
	fd_close(&pipe_ends[1]);
	got = fd_recv(sock[1]);
	CHECK(got > 2 && is_cloexec(got));
	CHECK(write(got, "y", 1) == 1 && read(pipe_ends[0], &c, 1) == 1 && c == 'y');
	fd_close(&got);
	CHECK_INT(read(pipe_ends[0], &c, 1), 0);
	CHECK_INT(fd_send(sock[0], 999), -EBADF);
	CHECK_INT(send(sock[0], "z", 1, 0), 1);
	CHECK_INT(fd_recv(sock[1]), -EBADMSG);
	fd_close(&sock[0]);
	CHECK_INT(fd_recv(sock[1]), -EPIPE);
	CHECK_INT(fd_send(sock[1], 1), -EPIPE);
	fd_close(&sock[1]);
	fd_close(&pipe_ends[0]);
}

/* More than a pipe holds, through a writer that is non-blocking and a reader that comes late. */
static void all_bytes(void)
{
	enum { SIZE = 300000 };
	char *bytes = malloc(SIZE), *back = calloc(1, SIZE + 10);
	int ends[2], status = 0;
	pid_t pid;

	for (int i = 0; i < SIZE; i++)
		bytes[i] = (char)(i * 7);
	CHECK_INT(fd_pipe(ends, 0), 0);
	pid = fork();
	if (pid == 0) {
		fcntl(ends[1], F_SETFL, O_NONBLOCK);
		_exit(fd_write_all(ends[1], bytes, SIZE) ? 1 : 0);
	}
	fd_close(&ends[1]);
	usleep(20000);
	CHECK_INT(fd_read_all(ends[0], back, SIZE + 10), SIZE);
	CHECK(memcmp(bytes, back, SIZE) == 0);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK_INT(fd_write_all(-1, "x", 1), -EBADF);
	CHECK_INT(fd_read_all(-1, back, 1), -EBADF);
	CHECK_INT(fd_write_all(-1, "", 0), 0);
	fd_close(&ends[0]);
	free(bytes);
	free(back);
}

/* In a child: bit 0..2 set when what should be open or closed is not. */
static int close_some(void)
{
	int keep[] = {50, -1, 3, 2, 50, 4};
	int bad = 0;

	for (int fd = 3; fd < 60; fd++)
		if (fd != 4)
			dup2(1, fd);
	close(4);
	fd_close_all_but(keep, 6);
	for (int fd = 0; fd < 70; fd++)
		if (is_open(fd) != (fd == 2 || fd == 3 || fd == 50))
			bad |= fd < 3 ? 1 : fd < 50 ? 2 : 4;
	fd_close_all_but(NULL, 0);
	for (int fd = 0; fd < 70; fd++)
		if (is_open(fd))
			bad |= 8;
	return bad;
}

static void closing_all(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(close_some());
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
}

static void null(void)
{
	struct stat want, got;
	int fd = dup(1);

	CHECK_INT(fd_null(fd, O_RDWR | O_CLOEXEC), 0);
	CHECK(is_cloexec(fd));
	CHECK(stat("/dev/null", &want) == 0 && fstat(fd, &got) == 0 && want.st_rdev == got.st_rdev);
	CHECK_INT(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	close(fd);
	CHECK_INT(fd_null(fd, O_RDONLY), 0);
	CHECK(is_open(fd) && !is_cloexec(fd));
	close(fd);
	CHECK_INT(fd_null(-1, O_RDONLY), -EBADF);
}

static void test_directory(void)
{
	char path[] = "/tmp/exectrace-fd-XXXXXX", file[64];
	const char *name = NULL;
	cleanup_fd int fd = -1, made = -1;

	if (!CHECK(mkdtemp(path)))
		return;
	snprintf(file, sizeof(file), "%s/some", path);
	fd = fd_directory_of(file, &name);
	CHECK_STR(name, "some");
	made = openat(fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(made >= 0);
	CHECK_INT(unlink(file), 0);
	CHECK_INT(rmdir(path), 0);
	CHECK_INT(fd_directory_of(file, &name), -ENOENT);
	fd_close(&fd);
	fd = fd_directory_of("/some", &name);
	CHECK_STR(name, "some");
	CHECK_INT(faccessat(fd, "proc", F_OK, 0), 0);
	fd_close(&fd);
	fd = fd_directory_of("some", &name);
	CHECK(fd >= 0);
	CHECK_STR(name, "some");
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	closing();
	high();
	pairs();
	sending();
	all_bytes();
	closing_all();
	null();
	test_directory();
	return TAP_DONE();
}
