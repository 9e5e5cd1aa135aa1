/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/action/handshake.h>

#include <errno.h>
#include <exectrace/base/fd.h>
#include <sys/socket.h>

int handshake_open(int *ours, int *tracers)
{
	int ends[2];
	int err = fd_socketpair(ends);

	if (err)
		return err;
	*ours = ends[0];
	*tracers = ends[1];
	return 0;
}

int handshake_ask(int fd, uint64_t number, pid_t tid)
{
	const struct handshake_exec message = {.number = number, .tid = tid};

	ssize_t sent;

	do {
		sent = send(fd, &message, sizeof(message), MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

int handshake_take_reply(int fd, struct handshake_reply *reply)
{
	ssize_t got = recv(fd, reply, sizeof(*reply), MSG_DONTWAIT);

	if (got == (ssize_t)sizeof(*reply))
		return 1;
	return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -EPIPE;
}
