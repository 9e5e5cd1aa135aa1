/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keeper.h"

#include "receipts.h"
#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/pidfd.h>
#include <exectrace/pick/launch/listener.h>
#include <exectrace/pick/launch/owed.h>
#include <exectrace/pick/launch/priority.h>
#include <exectrace/target/process/procself.h>
#include <exectrace/target/tracee/park.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define LOOK_MS 50            /* an exec that waits for longer than that makes us look at the supervisor */
#define RECEIVE_LIMIT_US 5000 /* for a notification that somebody else may have received first */

struct keeper {
	struct shared *shared;
	pid_t pid;      /* the supervisor's */
	int supervisor; /* its pidfd */
	int sock;
	int listener;
	int queue;       /* to the supervisor; -1 when it has ended */
	int wake;        /* an eventfd, written to by who finds shared->armed */
	int receipts;    /* receipts_listen; -1: it cannot be had, and we look all the time */
	bool alert;      /* there was an exec: it is to be seen that it is answered */
	bool owes;       /* the supervisor has left something to us that is not done yet */
	bool stopped;    /* the supervisor was last seen stopped */
	unsigned left;   /* parks that are not undone yet */
	struct slot own; /* what the keeper itself receives at the end */
};

/* Answers one notification: an exec goes on, a parked program begins. */
static void answer(struct keeper *keeper, const struct seccomp_notif *notif)
{
	struct park_slot *park = owed_park(keeper->shared, notif);

	if (!park) {
		(void)listener_give(keeper->listener, notif->id, ANSWER_CONTINUE);
		return;
	}
	owed_restore(&park->park);
	(void)listener_give(keeper->listener, notif->id, 0);
	if (atomic_load(&park->state) != PARK_ASKED)
		atomic_store(&park->state, PARK_FREE);
}

/*
 * For no longer than a moment: whoever else receives may have been first, or the caller killed, and then there is
 * nothing to receive; before Linux 6.11 not even the end of the last caller ends the wait.
 */
static int receive(const struct keeper *keeper, struct slot *slot)
{
	const struct timeval moment = {.tv_usec = RECEIVE_LIMIT_US};
	const struct itimerval limit = {.it_interval = moment, .it_value = moment};
	const struct itimerval none = {0};
	sigset_t alarm;
	int err = 0;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	setitimer(ITIMER_REAL, &limit, NULL);
	err = listener_receive(keeper->listener, slot);
	setitimer(ITIMER_REAL, &none, NULL);
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	return err;
}

static void receive_one(struct keeper *keeper)
{
	slot_free(&keeper->own);
	if (receive(keeper, &keeper->own) == 0)
		answer(keeper, &keeper->own.notif);
}

static bool is_stopped(const struct keeper *keeper)
{
	return proc_state(keeper->pid) == 'T';
}

/* A picked process is in the hands of the supervisor, and waits for it. */
static bool is_picked(const struct keeper *keeper, const struct seccomp_notif *notif)
{
	for (size_t i = 0; i < PARKS; i++) {
		const struct park_slot *park = &keeper->shared->park[i];

		if (atomic_load(&park->state) != PARK_FREE && park->park.tid == (pid_t)notif->pid)
			return true;
	}
	return false;
}

/* The highest free slot: the receiver, which may have been stopped at any point, takes the lowest. */
static struct slot *take_slot(struct shared *shared)
{
	for (size_t i = SLOTS; i > 0; i--) {
		int unused = SLOT_FREE;

		if (atomic_compare_exchange_strong(&shared->slot[i - 1].busy, &unused, SLOT_USED))
			return &shared->slot[i - 1];
	}
	return NULL;
}

/* What only the supervisor can answer goes to it: it finds that when it runs again. */
static void hand_over(const struct keeper *keeper, struct slot *slot)
{
	uint16_t number = (uint16_t)(slot - keeper->shared->slot);

	if (fd_write_all(keeper->queue, &number, sizeof(number))) {
		(void)listener_give(keeper->listener, slot->notif.id, ANSWER_CONTINUE);
		slot_free(slot);
	}
}

/* Receives while the supervisor is stopped. It may be continued at any moment. */
static void stand_in(struct keeper *keeper)
{
	struct slot *slot = take_slot(keeper->shared);

	if (!slot)
		return;
	atomic_store(&keeper->shared->standing, (unsigned)(slot - keeper->shared->slot) + 1);
	if (receive(keeper, slot)) {
		slot_free(slot);
	} else if (is_picked(keeper, &slot->notif) || !is_stopped(keeper)) {
		hand_over(keeper, slot);
	} else {
		(void)listener_give(keeper->listener, slot->notif.id, ANSWER_CONTINUE);
		slot_free(slot);
	}
	atomic_store(&keeper->shared->standing, 0);
}

/* True when a call is received and not answered, and not by intent. */
static bool is_unanswered(const struct slot *slot)
{
	return atomic_load(&slot->busy) == SLOT_USED && slot->notif.id;
}

static bool calls_wait(const struct keeper *keeper)
{
	struct pollfd fd = {.fd = keeper->listener, .events = POLLIN};
	unsigned used = atomic_load(&keeper->shared->used);

	for (unsigned i = 0; i < used; i++) {
		if (is_unanswered(&keeper->shared->slot[i]))
			return true;
	}
	return poll(&fd, 1, 0) == 1 && (fd.revents & POLLIN);
}

/* The slots stay the supervisor's: to answer once more does no harm, the call is over then (ENOENT). */
static void answer_received(const struct keeper *keeper)
{
	unsigned used = atomic_load(&keeper->shared->used);

	for (unsigned i = 0; i < used; i++) {
		const struct slot *slot = &keeper->shared->slot[i];

		if (is_unanswered(slot) && !is_picked(keeper, &slot->notif))
			(void)listener_give(keeper->listener, slot->notif.id, ANSWER_CONTINUE);
	}
}

/*
 * Looks whether all is answered. After a time without an exec the next one is to wake us: so there is no work for us
 * while nothing is executed, and little, however much is.
 */
static void look(struct keeper *keeper)
{
	uint64_t count = 0;
	bool active = false;
	bool wait = false;
	bool pending = false;

	(void)!read(keeper->wake, &count, sizeof(count));
	active = !atomic_exchange(&keeper->shared->armed, 1);
	if (keeper->listener >= 0) {
		pending = keeper->receipts < 0 || receipts_take(keeper->receipts);
		pending |= receipts_pending(keeper->shared);
		wait = calls_wait(keeper);
	}
	keeper->stopped = wait && is_stopped(keeper);
	keeper->alert = active || pending || (wait && !keeper->stopped);
	keeper->owes = owed_pay(keeper->shared, keeper->listener);
	if (keeper->stopped)
		answer_received(keeper);
}

/* It may have been stopped again since. */
static void seen_running(struct keeper *keeper)
{
	keeper->stopped = false;
	keeper->alert = true;
}

/* A notification is there to be received. */
static void called(struct keeper *keeper)
{
	if (keeper->stopped && is_stopped(keeper))
		stand_in(keeper);
	else
		seen_running(keeper);
}

/* One was received, by a supervisor that runs, or was stopped before it could say so; or by ourselves. */
static void received(struct keeper *keeper)
{
	(void)receipts_take(keeper->receipts);
	keeper->alert = true;
	if (keeper->stopped && is_stopped(keeper))
		answer_received(keeper);
	else
		keeper->stopped = false;
}

/* What the supervisor left behind. */
static void settle(struct keeper *keeper)
{
	(void)owed_pay(keeper->shared, keeper->listener);
	for (size_t i = 0; i < SLOTS && keeper->listener >= 0; i++) {
		struct slot *slot = &keeper->shared->slot[i];

		if (slot->notif.id)
			answer(keeper, &slot->notif);
		slot_free(slot);
	}
	/* Those that are parked and not in a notification that was received: before their stub, in it, or asleep. */
	for (size_t i = 0; i < PARKS; i++) {
		atomic_int *state = &keeper->shared->park[i].state;

		if (atomic_load(state) == PARK_WRITTEN || atomic_load(state) == PARK_UNDONE)
			atomic_store(state, PARK_OWED);
	}
	keeper->left = owed_look(keeper->shared);
}

/* Answers until no process has the filter any more. */
static void serve_to_the_end(struct keeper *keeper)
{
	settle(keeper);
	priority_receiver(true);
	while (keeper->listener >= 0 || keeper->left) {
		struct pollfd fd = {.fd = keeper->listener, .events = POLLIN};
		int n = poll(&fd, 1, keeper->left ? 1 : -1);

		if (keeper->left)
			keeper->left = owed_look(keeper->shared);
		if (n <= 0)
			continue;
		if (fd.revents & POLLIN)
			receive_one(keeper);
		else
			fd_close(&keeper->listener);
	}
}

/* False: the supervisor would wait for it. */
static bool say(const struct keeper *keeper, int err)
{
	return send(keeper->sock, &err, sizeof(err), MSG_NOSIGNAL) == (ssize_t)sizeof(err);
}

/* Once there is a listener. */
static void hear(struct keeper *keeper)
{
	int fd = keeper->listener < 0 ? -1 : receipts_listen(keeper->listener);

	keeper->receipts = fd < 0 ? -1 : fd;
}

static void get_listener(struct keeper *keeper)
{
	int fd = fd_recv(keeper->sock);

	if (fd == -EINTR)
		return;
	keeper->listener = fd < 0 ? -1 : fd;
	hear(keeper);
	(void)say(keeper, fd < 0 ? fd : 0); /* if not, the end of the connection tells */
	fd_close(&keeper->sock);
}

/* Waits for one thing to do. False when the supervisor has ended, or all that it watched. */
static bool keep_once(struct keeper *keeper)
{
	bool listens = !keeper->alert || keeper->stopped;
	struct pollfd fds[5] = {
		{.fd = keeper->supervisor, .events = POLLIN},
		{.fd = keeper->sock, .events = POLLIN},
		{.fd = keeper->listener, .events = listens ? POLLIN : 0},
		{.fd = listens ? keeper->wake : -1, .events = POLLIN},
		{.fd = listens ? keeper->receipts : -1, .events = POLLIN},
	};
	int n = poll(fds, 5, keeper->owes ? 1 : keeper->alert ? LOOK_MS : -1);

	if (n < 0)
		return true;
	if (fds[1].revents)
		get_listener(keeper);
	if (fds[0].revents)
		return false;
	if (fds[2].revents & POLLIN)
		called(keeper);
	else if (fds[2].revents & (POLLHUP | POLLERR))
		_exit(0);
	else if (fds[3].revents)
		seen_running(keeper);
	else if (fds[4].revents)
		received(keeper);
	else if (n == 0)
		look(keeper);
	return true;
}

static void woken(int sig)
{
	(void)sig;
}

static void __attribute__((noreturn)) keep(struct keeper *keeper)
{
	struct sigaction action = {.sa_handler = woken};
	const int fds[5] = {keeper->supervisor, keeper->sock, keeper->listener, keeper->queue, keeper->wake};
	sigset_t all;
	int err = 0;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGALRM, &action, NULL);
	err = setsid() < 0 || chdir("/") || poll(NULL, 0, 0) < 0 ? -errno : 0;
	fd_close_all_but(fds, 5);
	prctl(PR_SET_NAME, "exectrace-keep", 0, 0, 0);
	if ((keeper->sock >= 0 && !say(keeper, err)) || err) /* nobody waits for a later one's word */
		_exit(1);
	hear(keeper);
	while (keep_once(keeper)) {
	}
	/* The listener may still be on its way from a root that was faster than we. */
	fd_close(&keeper->queue);
	fd_close(&keeper->wake);
	if (keeper->sock >= 0)
		get_listener(keeper);
	fd_close(&keeper->receipts);
	serve_to_the_end(keeper);
	_exit(0);
}

pid_t keeper_start(struct shared *shared, int sock, int listener, int queue, int wake)
{
	struct keeper keeper = {.shared = shared,
	                        .pid = getpid(),
	                        .sock = sock,
	                        .queue = queue,
	                        .wake = wake,
	                        .listener = listener,
	                        .receipts = -1,
	                        .supervisor = -1,
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
