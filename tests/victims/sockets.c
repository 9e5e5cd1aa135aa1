/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sockets with names, descriptors in lists, a read that a signal interrupts and the kernel restarts: what `syscalls`
 * says of descriptors and failures. Prints "done".
 * usage: sockets PATH     of a socket that it makes; PATH.none is not there
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_un local = {.sun_family = AF_UNIX};
static struct sockaddr_in inet = {.sin_family = AF_INET};

static int at(int fd, int (*call)(int, const struct sockaddr *, socklen_t), const void *address, socklen_t n)
{
	return call(fd, address, n);
}

static int client(const char *path)
{
	int one = socket(AF_UNIX, SOCK_STREAM, 0), two = socket(AF_INET, SOCK_STREAM, 0), none;
	char byte;

	if (at(one, connect, &local, sizeof(local)) || write(one, "u", 1) != 1 || read(one, &byte, 1) != 1)
		return 1;
	if (at(two, connect, &inet, sizeof(inet)) || write(two, "t", 1) != 1 || read(two, &byte, 1) != 1)
		return 2;
	none = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(local.sun_path, sizeof(local.sun_path), "%s.none", path);
	return at(none, connect, &local, sizeof(local)) ? 0 : 3;
}

static int serve(int listener, char *byte)
{
	int fd = accept(listener, NULL, NULL);
	struct pollfd one = {.fd = fd, .events = POLLIN};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	if (poll(&one, 1, -1) != 1 || select(fd + 1, &set, NULL, NULL, NULL) != 1)
		return -1;
	return read(fd, byte, 1) == 1 && write(fd, byte, 1) == 1 ? 0 : -1;
}

static int handled[2];

static void on_alarm(int number)
{
	(void)!write(handled[1], &number, 1);
}

/* Until the parent sleeps. */
static void wait_for_sleep(void)
{
	char path[64], line[256], *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", getppid());
	for (;;) {
		ssize_t n = (fd = open(path, O_RDONLY)) < 0 ? 0 : read(fd, line, sizeof(line) - 1);

		close(fd);
		line[n > 0 ? n : 0] = 0;
		end = strrchr(line, ')');
		if (!end || end[2] == 'S')
			return;
		usleep(1000);
	}
}

/* A signal meets the parent while it reads, once; what it reads is written when its handler has run. */
static int interrupted(void)
{
	const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	int ends[2], status;
	char byte;

	if (pipe(ends) || pipe(handled) || sigaction(SIGALRM, &action, NULL))
		return -1;
	if (fork() == 0) {
		wait_for_sleep();
		if (kill(getppid(), SIGALRM) || read(handled[0], &byte, 1) != 1)
			_exit(1);
		_exit(write(ends[1], "x", 1) != 1);
	}
	return read(ends[0], &byte, 1) == 1 && wait(&status) > 0 && !status ? 0 : -1;
}

int main(int argc, char **argv)
{
	int one = socket(AF_UNIX, SOCK_STREAM, 0), two = socket(AF_INET, SOCK_STREAM, 0), status;
	socklen_t n = sizeof(inet);
	struct stat st;
	char byte;
	pid_t pid;

	if (argc != 2)
		return 9;
	snprintf(local.sun_path, sizeof(local.sun_path), "%s", argv[1]);
	inet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	unlink(argv[1]);
	if (at(one, bind, &local, sizeof(local)) || listen(one, 5) || at(two, bind, &inet, sizeof(inet)) ||
	    listen(two, 5) || getsockname(two, (struct sockaddr *)&inet, &n))
		return 8;
	pid = fork();
	if (pid == 0)
		_exit(client(argv[1]));
	if (serve(one, &byte) || serve(two, &byte) || wait(&status) != pid || status)
		return 7;
	if (fstatat(one, "", &st, AT_EMPTY_PATH) || interrupted())
		return 6;
	puts("done");
	return 0;
}
