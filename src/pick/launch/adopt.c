/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The supervisor's side of attaching to a process that runs already: it has the keeper do it. */
#include "attach.h"
#include "keeper.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/pidfd.h>
#include <exectrace/pick/launch/launch.h>
#include <exectrace/pick/launch/shared.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/process/procself.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TRIES 4    /* so many keepers */
#define FORKS 100  /* tries to start one: a process may depend on it */
#define ROOM 8u    /* descriptors that must be free: a listener that only the keeper has is answered by nobody */
#define LOOK_MS 10 /* after so long without a word we look whether the keeper is stopped, and after the others */

/* What has come of one order. */
struct result {
	int listener; /* -1: none yet */
	int err;
	bool known; /* err is what the keeper has said */
};

/* One message: a listener, or how it went. -EPIPE: the keeper has ended. */
static int hear(struct launch *launch, struct result *result)
{
	struct iovec iov = {.iov_base = &result->err, .iov_len = sizeof(result->err)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	char byte;
	ssize_t n = recv(launch->orders, &byte, 1, MSG_PEEK | MSG_TRUNC);

	if (n < 0)
		return errno == EINTR ? 0 : -EPIPE;
	if (n == 1) {
		int fd = fd_recv(launch->orders);

		if (fd >= 0)
			fd_close(&result->listener);
		result->listener = fd >= 0 ? fd : result->listener;
		return 0;
	}
	if (n != (ssize_t)sizeof(result->err) || recvmsg(launch->orders, &msg, 0) != n)
		return -EPIPE;
	result->known = true;
	return 0;
}

/* A keeper that is stopped may stay so, and what it has stopped with it. It is killed: then that runs. */
static void look_at_keeper(const struct launch *launch)
{
	if (launch->keeper > 0 && proc_state(launch->keeper) == 'T')
		kill(launch->keeper, SIGKILL);
}

/*
 * Waits for what the keeper says to an order. 0, or -EPIPE: it has ended before. What it waits for may be the parent in
 * vfork(2) of one that waits for our answer.
 */
static int wait_for_result(struct launch *launch, struct result *result)
{
	int err = 0;

	while (!err && !result->known) {
		struct pollfd fds[2] = {
			{.fd = launch->orders, .events = POLLIN},
			{.fd = launch->meanwhile ? launch->queue[0] : -1, .events = POLLIN},
		};
		int n = poll(fds, 2, LOOK_MS);

		if (n == 0)
			look_at_keeper(launch);
		if (n >= 0 && fds[0].revents)
			err = hear(launch, result);
		else if (n >= 0 && launch->meanwhile)
			launch->meanwhile(launch->meanwhile_user);
	}
	return err;
}

/* The next keeper. It has what we have. */
static int keep_on(struct launch *launch)
{
	const struct timespec moment = {.tv_nsec = LOOK_MS * NS_PER_MS};
	int err = -EAGAIN;

	(void)launch_keeper_killed(launch);
	if (launch->keeper > 0)
		launch_end_child(launch->keeper);
	for (int i = 0; i < FORKS && err; i++) {
		err = launch_keep(launch);
		if (err)
			nanosleep(&moment, NULL);
	}
	return err;
}

static int give_order(struct launch *launch, struct order *order, struct result *result)
{
	int err = -EPIPE;

	for (int i = 0; i < TRIES && err == -EPIPE; i++) {
		bool sent = send(launch->orders, order, sizeof(*order), MSG_NOSIGNAL) == (ssize_t)sizeof(*order);

		err = sent ? wait_for_result(launch, result) : -EPIPE;
		if (result->listener >= 0)
			sources_set(&launch->sources, order->source, result->listener);
		result->listener = -1;
		order->again |= err == -EPIPE && sent;
		if (err == -EPIPE && keep_on(launch))
			return -ECHILD;
	}
	return err;
}

uint64_t launch_ticks(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_BOOTTIME, &now);
	return ((uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec) / (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

int launch_watches(const struct launch *launch, pid_t pid)
{
	uint64_t start = proc_start_time(pid);

	for (unsigned i = 0; i < launch->sources.n && start; i++) {
		const struct watched *watched = &launch->shared->watched[i];

		if (launch->sources.fd[i] >= 0 && watched->pid == pid && watched->start == start)
			return (int)i;
	}
	return -ENOENT;
}

/* It is there, whether the keeper has it or only we. */
static int have(struct launch *launch, unsigned source)
{
	struct watched *watched = &launch->shared->watched[source];

	if (!watched->since)
		watched->since = launch_ticks();
	launch->no_new_privs |= launch->allow_nnp && geteuid() != 0;
	return (int)source;
}

static int adopt(struct launch *launch, pid_t pid, bool rest)
{
	struct order order = {
		.pid = pid,
		.top = launch->top,
		.source = launch->sources.n ? launch->sources.n : 1,
		.rest = rest,
		.nnp = launch->allow_nnp,
	};
	struct result result = {.listener = -1};
	int pidfd = pidfd_of(pid);
	int err = pidfd < 0 ? pidfd : order.source >= SOURCES ? -ENFILE : 0;

	if (!err)
		err = fd_room(ROOM);
	/* It may answer for others; and one that is found later must be ours. */
	if (!err && !rest && attach_find(pid) >= 0)
		err = -EBUSY;
	if (!err)
		err = give_order(launch, &order, &result);
	fd_close(&pidfd);
	if (sources_fd(&launch->sources, order.source) >= 0) {
		if (err || result.err) /* the keeper may not have it */
			(void)keep_on(launch);
		return have(launch, order.source);
	}
	return err ? err : result.err ? result.err : -EBADMSG;
}

int launch_adopt(struct launch *launch, pid_t pid)
{
	return adopt(launch, pid, false);
}

int launch_adopt_rest(struct launch *launch)
{
	return adopt(launch, launch->top, true);
}

void launch_adopted(struct launch *launch)
{
	launch->adopts = false;
	fd_close(&launch->orders);
}
