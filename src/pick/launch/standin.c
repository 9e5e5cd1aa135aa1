/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "standin.h"

#include "door.h"
#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/pick/launch/listener.h>
#include <exectrace/pick/launch/nested.h>
#include <exectrace/pick/launch/owed.h>
#include <exectrace/pick/launch/priority.h>
#include <exectrace/target/process/procself.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/time.h>

#define RECEIVE_LIMIT_US 5000 /* for a notification that somebody else may have received first */

int standin_add(struct keeper *keeper, unsigned source, int listener)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = source};

	if (sources_fd(&keeper->sources, source) >= 0) { /* by way of a former keeper */
		fd_close(&listener);
		return 0;
	}
	if (source == 0) {
		sources_set(&keeper->sources, 0, listener);
		return 0;
	}
	if (keeper->ready < 0) {
		keeper->ready = epoll_create1(EPOLL_CLOEXEC);
		keeper->ready = keeper->ready < 0 ? -1 : fd_high(keeper->ready);
	}
	if (keeper->ready < 0 || epoll_ctl(keeper->ready, EPOLL_CTL_ADD, listener, &event))
		return -errno;
	sources_set(&keeper->sources, source, listener);
	return 0;
}

void standin_drop(struct keeper *keeper, unsigned source)
{
	int listener = sources_fd(&keeper->sources, source);

	if (listener < 0)
		return;
	if (source) /* others may have it still, and an epoll goes by the file */
		(void)epoll_ctl(keeper->ready, EPOLL_CTL_DEL, listener, NULL);
	fd_close(&keeper->sources.fd[source]);
}

/* The first source is not in the epoll: most runs have no other. */
static bool first_is_ready(struct keeper *keeper)
{
	struct pollfd fd = {.fd = sources_in(&keeper->sources, 0), .events = POLLIN};

	if (fd.fd < 0 || poll(&fd, 1, 0) != 1)
		return false;
	if (!(fd.revents & POLLIN))
		sources_end_first(&keeper->sources);
	return fd.revents & POLLIN;
}

int standin_next(struct keeper *keeper)
{
	struct epoll_event event;

	if (first_is_ready(keeper))
		return 0;
	while (keeper->ready >= 0 && epoll_wait(keeper->ready, &event, 1, 0) == 1) {
		if (event.events & EPOLLIN)
			return (int)event.data.u32;
		standin_drop(keeper, event.data.u32);
	}
	return -1;
}

/* Answers one notification: an exec goes on, a parked program begins. */
static void answer(struct keeper *keeper, unsigned source, const struct seccomp_notif *notif)
{
	struct park_slot *park = owed_park(keeper->shared, notif);
	int listener = sources_fd(&keeper->sources, source);

	if (!park) {
		(void)listener_give(listener, notif->id, ANSWER_CONTINUE);
		return;
	}
	owed_restore(&park->park);
	(void)listener_give(listener, notif->id, 0);
	if (atomic_load(&park->state) != PARK_ASKED)
		atomic_store(&park->state, PARK_FREE);
}

/*
 * For no longer than a moment: whoever else receives may have been first, or the caller killed, and then there is
 * nothing to receive; before Linux 6.11 not even the end of the last caller ends the wait.
 */
static int receive_from(int in, bool fed, struct slot *slot)
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
	err = fed ? nested_receive(in, slot) : listener_receive(in, slot);
	setitimer(ITIMER_REAL, &none, NULL);
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	return err;
}

static int receive(const struct keeper *keeper, unsigned source, struct slot *slot)
{
	int in = sources_in(&keeper->sources, source);

	slot->source = source;
	return receive_from(in, in != sources_fd(&keeper->sources, source), slot);
}

bool standin_is_due(const struct keeper *keeper)
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

static void pass(const struct keeper *keeper, struct slot *slot)
{
	(void)listener_give(sources_fd(&keeper->sources, slot->source), slot->notif.id, ANSWER_CONTINUE);
	slot_free(slot);
}

/* What only the supervisor can answer goes to it: it finds that when it runs again. */
static void hand_over(const struct keeper *keeper, struct slot *slot)
{
	uint16_t number = (uint16_t)(slot - keeper->shared->slot);

	if (fd_write_all(keeper->queue, &number, sizeof(number)))
		pass(keeper, slot);
}

void standin_receive(struct keeper *keeper, unsigned source)
{
	struct slot *slot = take_slot(keeper->shared);

	if (!slot)
		return;
	atomic_store(&keeper->shared->standing, (unsigned)(slot - keeper->shared->slot) + 1);
	if (receive(keeper, source, slot))
		slot_free(slot);
	else if (is_picked(keeper, &slot->notif) || !standin_is_due(keeper))
		hand_over(keeper, slot);
	else
		pass(keeper, slot);
	atomic_store(&keeper->shared->standing, 0);
}

void standin_pass(struct keeper *keeper, unsigned source, int listener)
{
	struct pollfd fd = {.fd = listener, .events = POLLIN};
	int err = 0;

	while (!err && poll(&fd, 1, 0) == 1 && (fd.revents & POLLIN)) {
		struct slot *slot = take_slot(keeper->shared);

		if (!slot)
			return;
		slot->source = source;
		atomic_store(&keeper->shared->standing, (unsigned)(slot - keeper->shared->slot) + 1);
		err = receive_from(listener, false, slot);
		if (!err)
			(void)listener_give(listener, slot->notif.id, ANSWER_CONTINUE);
		slot_free(slot);
		atomic_store(&keeper->shared->standing, 0);
	}
}

/* True when a call is received and not answered, and not by intent. */
static bool is_unanswered(const struct slot *slot)
{
	return atomic_load(&slot->busy) == SLOT_USED && slot->notif.id;
}

bool standin_calls_wait(struct keeper *keeper)
{
	unsigned used = atomic_load(&keeper->shared->used);

	for (unsigned i = 0; i < used; i++) {
		if (is_unanswered(&keeper->shared->slot[i]))
			return true;
	}
	return standin_next(keeper) >= 0;
}

/* The slots stay the supervisor's: to answer once more does no harm, the call is over then (ENOENT). */
void standin_answer(const struct keeper *keeper)
{
	unsigned used = atomic_load(&keeper->shared->used);

	for (unsigned i = 0; i < used; i++) {
		const struct slot *slot = &keeper->shared->slot[i];

		if (is_unanswered(slot) && !is_picked(keeper, &slot->notif))
			(void)listener_give(sources_fd(&keeper->sources, slot->source), slot->notif.id,
			                    ANSWER_CONTINUE);
	}
}

/* What the supervisor left behind. */
static void settle(struct keeper *keeper)
{
	(void)owed_pay(keeper->shared, &keeper->sources);
	for (size_t i = 0; i < SLOTS && keeper->sources.n; i++) {
		struct slot *slot = &keeper->shared->slot[i];

		if (slot->notif.id)
			answer(keeper, slot->source, &slot->notif);
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

static void receive_one(struct keeper *keeper, unsigned source)
{
	slot_free(&keeper->own);
	if (receive(keeper, source, &keeper->own) == 0)
		answer(keeper, source, &keeper->own.notif);
}

void standin_to_the_end(struct keeper *keeper)
{
	settle(keeper);
	/* The outer one, or its keeper, goes on. We have its filter, so that its listener would not end before we do.
	 */
	if (keeper->sources.nested) {
		fd_close(&keeper->sources.feed);
		standin_drop(keeper, 0);
	}
	priority_receiver(true);
	while (sources_any(&keeper->sources, 0) || keeper->left) {
		bool busy = keeper->left;
		struct pollfd fds[4] = {
			{.fd = sources_fd(&keeper->sources, 0), .events = POLLIN},
			{.fd = keeper->ready, .events = POLLIN},
		};
		int n = 0, source = -1;

		door_poll(&keeper->door, busy, &fds[2]);
		n = poll(fds, 4, busy ? 1 : -1);
		if (n > 0)
			door_serve(keeper, false, &fds[2]);
		source = n > 0 ? standin_next(keeper) : -1;
		if (keeper->left)
			keeper->left = owed_look(keeper->shared);
		if (source >= 0)
			receive_one(keeper, (unsigned)source);
	}
}
