/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "door.h"

#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procfs.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS 2000

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int door_send(int sock, const void *bytes, size_t n, int fd)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = n};
	union control control = {.bytes = {0}};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *header = &control.align;
	ssize_t sent = 0;

	if (fd >= 0) {
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
	}
	do
		sent = sendmsg(sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

/* The descriptor of a message. -1: there is none. */
static int descriptor(struct msghdr *msg)
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(msg);
	int fd = -1;

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	fd = fd_high(fd);
	return fd < 0 ? -1 : fd;
}

int door_receive(int sock, void *bytes, size_t n, int *fd)
{
	struct iovec iov = {.iov_base = bytes, .iov_len = n};
	union control control = {.bytes = {0}};
	struct msghdr msg = {.msg_iov = &iov,
	                     .msg_iovlen = 1,
	                     .msg_control = &control,
	                     .msg_controllen = CMSG_LEN(sizeof(int))}; /* a second one would fit into the padding */
	ssize_t got = 0;

	*fd = -1;
	do
		got = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	*fd = descriptor(&msg);
	if (got == (ssize_t)n && !(msg.msg_flags & MSG_TRUNC))
		return 0;
	fd_close(fd);
	return got == 0 ? -EPIPE : -EBADMSG;
}

int door_hear(int sock, void *bytes, size_t n, int *fd)
{
	struct pollfd poll_sock = {.fd = sock, .events = POLLIN};
	int got = 0;

	*fd = -1;
	do
		got = poll(&poll_sock, 1, PATIENCE_MS);
	while (got < 0 && errno == EINTR);
	return got <= 0 ? -EAGAIN : door_receive(sock, bytes, n, fd);
}

bool door_is_socket(int fd)
{
	int domain = 0, type = 0;
	socklen_t n = sizeof(int);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n) == 0 && domain == AF_UNIX &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_SEQPACKET;
}

void door_open(struct door *door)
{
	int ends[2];

	*door = (struct door){.inner = -1, .line = -1};
	if (fd_socketpair(ends))
		return;
	if (dup2(ends[1], DOOR_FD) == DOOR_FD)
		door->inner = ends[0];
	else
		fd_close(&ends[0]);
	fd_close(&ends[1]);
}

void door_poll(const struct door *door, bool busy, struct pollfd fds[2])
{
	/* One after the other: two that are offered the same would both answer for it. */
	fds[0] = (struct pollfd){.fd = busy || door->line >= 0 ? -1 : door->inner, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = door->line, .events = POLLIN};
}

static bool is_meant(const struct watched *watched, const struct ask *ask)
{
	if (ask->rest)
		return watched->top == ask->pid && watched->top_start == ask->start;
	return watched->pid == ask->pid && watched->start == ask->start;
}

/* The source that is asked for; -ENOENT. */
static int find(const struct keeper *keeper, const struct ask *ask)
{
	for (unsigned i = 0; i < keeper->sources.n; i++) {
		if (keeper->sources.fd[i] >= 0 && is_meant(&keeper->shared->watched[i], ask))
			return (int)i;
	}
	return -ENOENT;
}

static void answer(struct keeper *keeper, bool lives)
{
	struct door *door = &keeper->door;
	struct ask ask;
	struct offer offer;
	int source = 0, listener = -1;

	memset(&offer, 0, sizeof(offer)); /* its padding, too */
	if (door_receive(door->inner, &ask, sizeof(ask), &door->line))
		return;
	source = find(keeper, &ask);
	offer.err = source < 0 ? source : lives ? -EADDRINUSE : 0;
	offer.by = keeper->pid;
	if (!offer.err) {
		listener = keeper->sources.fd[source];
		offer.watched = keeper->shared->watched[source];
		door->offered = (unsigned)source;
	}
	if (door_send(door->line, &offer, sizeof(offer), listener) || offer.err)
		fd_close(&door->line);
}

/* Others have it now. Or the asker has gone, and all is as before. */
static void conclude(struct keeper *keeper)
{
	struct door *door = &keeper->door;
	char byte = 0;
	int fd = -1;
	int err = door_receive(door->line, &byte, sizeof(byte), &fd);

	fd_close(&fd);
	if (err == -EAGAIN)
		return;
	if (!err) {
		standin_drop(keeper, door->offered);
		(void)door_send(door->line, &byte, sizeof(byte), -1);
	}
	fd_close(&door->line);
}

void door_serve(struct keeper *keeper, bool lives, const struct pollfd fds[2])
{
	if (fds[1].revents)
		conclude(keeper);
	else if (fds[0].revents & POLLIN)
		answer(keeper, lives);
}
