/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our end of the socket on which a tracer is told of execs: nothing waits, whatever the other end does. */
#include <exectrace/pick/action/handshake.h>

#include "tap.h"
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static void both_ways(int ours, int tracers)
{
	const struct handshake_reply again = {.number = 7, .kind = HANDSHAKE_AGAIN}, begin = {.kind = HANDSHAKE_BEGIN};
	struct handshake_exec exec;
	struct handshake_reply reply;

	CHECK_INT(handshake_take_reply(ours, &reply), 0);
	CHECK_INT(send(tracers, &begin, sizeof(begin), 0), sizeof(begin));
	CHECK_INT(send(tracers, &again, sizeof(again), 0), sizeof(again));
	CHECK_INT(handshake_ask(ours, 7, 4711), 0);
	CHECK_INT(recv(tracers, &exec, sizeof(exec), 0), sizeof(exec));
	CHECK(exec.number == 7 && exec.tid == 4711);
	CHECK_INT(handshake_take_reply(ours, &reply), 1);
	CHECK(reply.kind == HANDSHAKE_BEGIN && reply.number == 0);
	CHECK_INT(handshake_take_reply(ours, &reply), 1);
	CHECK(reply.kind == HANDSHAKE_AGAIN && reply.number == 7);
	CHECK_INT(handshake_take_reply(ours, &reply), 0);
}

static void does_not_read(int ours)
{
	int err = 0;

	for (int i = 1; i < 1000000 && !err; i++)
		err = handshake_ask(ours, (uint64_t)i, i);
	CHECK_INT(err, -EAGAIN);
}

static void says_nonsense(int ours, int tracers)
{
	struct handshake_reply reply;

	CHECK_INT(send(tracers, "x", 1, 0), 1);
	CHECK_INT(handshake_take_reply(ours, &reply), -EPIPE);
}

static void has_ended(int ours)
{
	struct handshake_reply reply;

	CHECK_INT(handshake_take_reply(ours, &reply), -EPIPE);
	CHECK_INT(handshake_ask(ours, 1, 1), -EPIPE);
}

int main(void)
{
	int ours = -1, tracers = -1;

	CHECK_INT(handshake_open(&ours, &tracers), 0);
	both_ways(ours, tracers);
	says_nonsense(ours, tracers);
	does_not_read(ours);
	close(tracers);
	has_ended(ours);
	close(ours);
	return tap_done();
}
