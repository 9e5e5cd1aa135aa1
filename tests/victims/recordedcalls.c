/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of which a recording has to keep more than their registers: flags behind a position, what select and its like
 * note of their results, a time that the kernel changes, a socket whose connect fails. */
#define _GNU_SOURCE
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static void wait_for(int fd)
{
	struct pollfd item = {.fd = fd, .events = POLLOUT};
	struct timespec time = {.tv_nsec = 1000000};
	struct timeval left = {.tv_usec = 1000};
	fd_set set;

	ppoll(&item, 1, &time, NULL);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	select(fd + 1, NULL, &set, NULL, &left);
}

static void receive(void)
{
	struct timespec time = {.tv_sec = 1};
	char byte;
	struct iovec iov = {&byte, 1};
	struct mmsghdr message = {.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}};
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) || send(pair[0], "x", 1, 0) != 1)
		return;
	recvmmsg(pair[1], &message, 1, MSG_WAITFORONE, &time);
}

static void connect_in_vain(void)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "/no/such/socket"};
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	connect(fd, (struct sockaddr *)&to, sizeof(to));
	send(fd, "x", 1, 0);
}

int main(void)
{
	char bytes[8];
	struct iovec iov = {bytes, sizeof(bytes)};
	int pipes[2];

	if (pipe(pipes))
		return 1;
	preadv2(-1, &iov, 1, 7, RWF_HIPRI | RWF_NOWAIT);
	pwritev2(-1, &iov, 1, 0, RWF_DSYNC | RWF_APPEND);
	wait_for(pipes[1]);
	receive();
	connect_in_vain();
	return 0;
}
