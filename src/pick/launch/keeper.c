/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keeper.h"

#include "attach.h"
#include "handover.h"
#include "receipts.h"
#include "standin.h"
#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/pidfd.h>
#include <exectrace/pick/launch/listener.h>
#include <exectrace/pick/launch/nested.h>
#include <exectrace/pick/launch/owed.h>
#include <exectrace/pick/launch/priority.h>
#include <exectrace/target/process/procfs.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOK_MS 50 /* an exec that waits for longer than that makes us look at the supervisor */

/*
 * Looks whether all is answered. After a time without an exec the next one is to wake us: so there is no work for us
 * while nothing is executed, and little, however much is.
 */
static void look(struct keeper *keeper)
{
	bool active = false;
	bool wait = false;
	bool pending = false;

	active = !atomic_exchange(&keeper->shared->armed, 1);
	if (sources_any(&keeper->sources, 0)) {
		pending = keeper->receipts < 0 || receipts_take(keeper->receipts);
		pending |= receipts_pending(keeper->shared);
		wait = standin_calls_wait(keeper);
	}
	keeper->stopped = wait && standin_is_due(keeper);
	keeper->alert = active || pending || (wait && !keeper->stopped);
	keeper->owes = owed_pay(keeper->shared, &keeper->sources);
	if (keeper->stopped)
		standin_answer(keeper);
}

/* It may have been stopped again since. */
static void seen_running(struct keeper *keeper)
{
	keeper->stopped = false;
	keeper->alert = true;
}

/* There was an exec after a time without, or the supervisor has left something to us. */
static void woken_up(struct keeper *keeper)
{
	uint64_t count = 0;

	(void)!read(keeper->wake, &count, sizeof(count));
	seen_running(keeper);
	keeper->owes |= atomic_load(&keeper->shared->owed) != 0;
}

/* A notification is there to be received, or a listener has ended. */
static void called(struct keeper *keeper)
{
	int source = standin_next(keeper);

	if (source < 0)
		return;
	if (keeper->stopped && standin_is_due(keeper))
		standin_receive(keeper, (unsigned)source);
	else
		seen_running(keeper);
}

/* One was received, by a supervisor that runs, or was stopped before it could say so; or by ourselves. */
static void received(struct keeper *keeper)
{
	(void)receipts_take(keeper->receipts);
	keeper->alert = true;
	if (keeper->stopped && standin_is_due(keeper))
		standin_answer(keeper);
	else
		keeper->stopped = false;
}

/* False: the supervisor would wait for it. */
static bool say(int sock, int err)
{
	return send(sock, &err, sizeof(err), MSG_NOSIGNAL) == (ssize_t)sizeof(err);
}

/* From now on it is among the sources. */
static int listen_to(struct keeper *keeper, unsigned source, int listener)
{
	int err = standin_add(keeper, source, listener);

	if (keeper->receipts >= 0 && !err && receipts_add(keeper->receipts, listener))
		fd_close(&keeper->receipts);
	keeper->alert = true;
	return err;
}

static void get_listener(struct keeper *keeper)
{
	int fd = fd_recv(keeper->sock);

	if (fd == -EINTR)
		return;
	if (fd >= 0 && keeper->sources.feed < 0 && nested_is_feed(fd)) { /* the listener comes behind it */
		keeper->sources.feed = fd;
		keeper->sources.nested = true;
		return;
	}
	if (fd >= 0)
		(void)listen_to(keeper, 0, fd);
	(void)say(keeper->sock, fd < 0 ? fd : 0); /* if not, the end of the connection tells */
	fd_close(&keeper->sock);
}

/* To the supervisor, as soon as we have it: the next keeper gets it from there. */
static void pass_on(void *user, int listener)
{
	const struct keeper *keeper = user;

	(void)fd_send(keeper->orders, listener);
}

static void pass_waiting(void *user, unsigned source, int listener)
{
	standin_pass(user, source, listener);
}

/* A keeper was killed while it had the order, and exectrace has what that one had got. */
static bool was_got(const struct keeper *keeper, const struct order *order)
{
	return order->again && sources_fd(&keeper->sources, order->source) >= 0;
}

/* That of the process, any other of its tree, or the one that a former keeper may not have given up yet. */
static struct ask wanted(const struct keeper *keeper, const struct order *order)
{
	const struct watched *watched = &keeper->shared->watched[order->source];

	if (was_got(keeper, order))
		return (struct ask){.pid = watched->pid, .start = watched->start};
	return (struct ask){.pid = order->pid, .rest = order->rest, .start = proc_start_time(order->pid)};
}

/* From the keeper of an exectrace that has ended. -ENOENT: there is none that has it. */
static int take_over(struct keeper *keeper, const struct order *order, struct handed *handed)
{
	const struct ask ask = wanted(keeper, order);
	struct proc_status status;
	int err = proc_status(order->pid, &status);

	*handed = (struct handed){.line = -1};
	/* What began since has its filters from a parent that was asked for. */
	if (err || !status.filters || ask.start > keeper->shared->begun)
		return -ENOENT;
	err = handover_ask(&keeper->others, &ask, handed);
	if (err) {
		atomic_store(&keeper->shared->rival, handed->by);
		return err;
	}
	keeper->shared->watched[order->source] = handed->watched;
	pass_on(keeper, handed->listener);
	return handed->listener;
}

/* What was got was a former keeper's: of what is made here nothing is known yet. */
static bool is_taken_over(const struct keeper *keeper, const struct order *order)
{
	return was_got(keeper, order) && keeper->shared->watched[order->source].since;
}

static int make_one(struct keeper *keeper, const struct order *order)
{
	const struct attach_order what = {order->pid, keeper->shared->mark, order->nnp, order->again, order->source};
	const struct attach_user user = {pass_on, pass_waiting, keeper, keeper->shared};

	keeper->shared->watched[order->source] = (struct watched){
		.pid = order->pid,
		.top = order->top,
		.start = proc_start_time(order->pid),
		.top_start = proc_start_time(order->top),
		.mark = keeper->shared->mark,
	};
	return attach(&what, &user);
}

/* A process that runs already. The listener goes to the supervisor, then the result. */
static void attach_one(struct keeper *keeper)
{
	struct order order;
	ssize_t n = recv(keeper->orders, &order, sizeof(order), 0);
	struct handed handed;
	int listener = 0, err = 0;

	if (n < 0 && errno == EINTR)
		return;
	if (n != (ssize_t)sizeof(order) || order.source >= SOURCES) {
		fd_close(&keeper->orders);
		return;
	}
	listener = take_over(keeper, &order, &handed);
	if (listener == -ENOENT && !order.rest && !is_taken_over(keeper, &order))
		listener = make_one(keeper, &order);
	err = listener < 0 ? listener : listen_to(keeper, order.source, listener);
	handover_done(&handed, !err);
	(void)say(keeper->orders, err);
}

/* True when no process has a filter any more. */
static bool all_ended(struct keeper *keeper, short root)
{
	if (root & (POLLHUP | POLLERR))
		sources_end_first(&keeper->sources);
	return keeper->sources.n && keeper->orders < 0 && !sources_any(&keeper->sources, 0);
}

static int timeout(const struct keeper *keeper)
{
	return keeper->owes ? 1 : keeper->alert ? LOOK_MS : -1;
}

/* Waits for one thing to do. False when the supervisor has ended, or all that it watched. */
static bool keep_once(struct keeper *keeper)
{
	bool listens = !keeper->alert || keeper->stopped;
	struct pollfd fds[9] = {
		{.fd = keeper->supervisor, .events = POLLIN},
		{.fd = keeper->sock, .events = POLLIN},
		{.fd = sources_in(&keeper->sources, 0), .events = listens ? POLLIN : 0},
		{.fd = listens ? keeper->ready : -1, .events = POLLIN},
		{.fd = keeper->wake, .events = POLLIN},
		{.fd = listens ? keeper->receipts : -1, .events = POLLIN},
		{.fd = keeper->orders, .events = POLLIN},
	};
	int n = 0;

	if (all_ended(keeper, 0))
		_exit(0);
	door_poll(&keeper->door, false, &fds[7]);
	n = poll(fds, 9, timeout(keeper));
	if (n < 0)
		return true;
	if (fds[1].revents)
		get_listener(keeper);
	if (fds[0].revents)
		return false;
	if (fds[6].revents)
		attach_one(keeper);
	door_serve(keeper, true, &fds[7]);
	if (all_ended(keeper, fds[2].revents))
		_exit(0);
	if ((fds[2].revents | fds[3].revents) & POLLIN)
		called(keeper);
	else if (fds[4].revents)
		woken_up(keeper);
	else if (fds[5].revents)
		received(keeper);
	else if (n == 0)
		look(keeper);
	return true;
}

static void woken(int sig)
{
	(void)sig;
}

/* Closes all but what it is for, and what leads to the supervisor. 0 or -errno. */
static int keep_files(const struct keeper *keeper)
{
	const struct sources *sources = &keeper->sources;
	int *fds = calloc(SOURCES + 7, sizeof(*fds));
	size_t n = 0;

	if (!fds)
		return -ENOMEM;
	fds[n++] = keeper->supervisor;
	fds[n++] = keeper->sock;
	fds[n++] = keeper->orders;
	fds[n++] = keeper->queue;
	fds[n++] = keeper->wake;
	fds[n++] = sources->feed;
	for (unsigned i = 0; i < sources->n; i++)
		fds[n++] = sources->fd[i];
	fd_close_all_but(fds, n);
	free(fds);
	return 0;
}

/* Those that it begins with. */
static void hear(struct keeper *keeper)
{
	struct sources *sources = &keeper->sources;
	int fd = receipts_listen();

	keeper->receipts = fd < 0 ? -1 : fd;
	for (unsigned i = 0; i < sources->n; i++) {
		int listener = sources->fd[i];

		sources->fd[i] = -1;
		if (listener >= 0)
			(void)listen_to(keeper, i, listener);
	}
}

static void __attribute__((noreturn)) keep(struct keeper *keeper)
{
	struct sigaction action = {.sa_handler = woken};
	sigset_t all;
	int err = 0;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGALRM, &action, NULL);
	err = setsid() < 0 || chdir("/") || poll(NULL, 0, 0) < 0 ? -errno : keep_files(keeper);
	prctl(PR_SET_NAME, KEEPER_NAME, 0, 0, 0);
	priority_survive();
	if ((keeper->sock >= 0 && !say(keeper->sock, err)) || err) /* nobody waits for a later one's word */
		_exit(1);
	door_open(&keeper->door);
	hear(keeper);
	while (keep_once(keeper)) {
	}
	/* The listener may still be on its way from a root that was faster than we. */
	fd_close(&keeper->queue);
	fd_close(&keeper->wake);
	fd_close(&keeper->orders);
	while (keeper->sock >= 0)
		get_listener(keeper);
	fd_close(&keeper->receipts);
	standin_to_the_end(keeper);
	_exit(0);
}

pid_t keeper_start(struct shared *shared, const struct keeper_ends *ends, const struct sources *sources)
{
	struct keeper keeper = {.shared = shared,
	                        .pid = getpid(),
	                        .sock = ends->sock,
	                        .orders = ends->orders,
	                        .queue = ends->queue,
	                        .wake = ends->wake,
	                        .receipts = -1,
	                        .ready = -1,
	                        .door = {.inner = -1, .line = -1},
	                        .supervisor = -1,
	                        .sources = *sources,
	                        .alert = true};
	pid_t pid = 0;

	keeper.supervisor = pidfd_of(getpid());
	if (keeper.supervisor < 0)
		return keeper.supervisor;
	pid = fork();
	if (pid == 0)
		keep(&keeper);
	if (pid < 0)
		pid = -errno;
	fd_close(&keeper.supervisor);
	return pid;
}
