/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "receiver.h"

#include "private.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/pick/launch/listener.h>
#include <exectrace/pick/launch/nested.h>
#include <exectrace/pick/launch/priority.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LEAVE_TRIES 100 /* of 0.2 ms */
#define HELD_WAITS 2500 /* of 20 us */
#define TRIES 16        /* to tell the main thread */

/* Takes the lowest free slot: few are in use at a time, so few pages are ever touched. */
static struct slot *take_slot(struct shared *shared, unsigned source)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		int unused = 0;

		if (!atomic_compare_exchange_strong(&shared->slot[i].busy, &unused, SLOT_USED))
			continue;
		shared->slot[i].source = source;
		if (i >= atomic_load(&shared->used))
			atomic_store(&shared->used, i + 1);
		return &shared->slot[i];
	}
	return NULL;
}

static bool others_wait(const struct receiver *receiver)
{
	struct pollfd fd = {.fd = receiver->in, .events = POLLIN};

	return poll(&fd, 1, 0) != 0;
}

static void keep_together(struct receiver *receiver, bool together)
{
	if (together != receiver->together && listener_sync_wakeup(receiver->listener, together))
		receiver->together = together;
}

/* The next caller is to find us on its processor: there we run before a signal can interrupt it. */
static void get_ready(struct receiver *receiver)
{
	if (!receiver->pairs)
		return;
	receiver->alone = !others_wait(receiver);
	keep_together(receiver, receiver->near);
}

void receiver_answers(struct receiver *receiver)
{
	if (!receiver->pairs)
		return;
	receiver->near = eintr_repeats(&receiver->rescue) || eintr_alert(&receiver->rescue) ||
	                 !idle_cpu_is_there(&receiver->busy);
	keep_together(receiver, receiver->near && receiver->alone && !others_wait(receiver));
}

/*
 * With a real-time priority it is sure to run before a signal can interrupt the caller, but the scheduler then moves
 * everybody else about: make -j2 took 9 % longer with it and 4.5 % without. So it has that only while a thread has
 * begun to call again and again. It does not help with the first calls of a thread: the scheduler then wakes it on the
 * processor where it ran last, not on the caller's, and of 26 callers that had been interrupted none was found in time;
 * without it, 21 of 22 (Linux 6.18).
 */
static void set_priority(struct receiver *receiver)
{
	bool urgent = eintr_tries(&receiver->rescue);

	if (urgent == receiver->urgent)
		return;
	receiver->urgent = urgent;
	priority_receiver(urgent);
}

static void give(struct receiver *receiver, struct slot *slot, int answer)
{
	if (!listener_settle(receiver->listener, slot, answer))
		shared_owe(receiver->shared, receiver->wake);
}

/* To the main thread. What it cannot be told of goes on. */
static void queue(struct receiver *receiver, struct slot *slot)
{
	uint16_t number = (uint16_t)(slot - receiver->shared->slot);

	for (int i = 0; i < TRIES; i++) {
		if (fd_write_all(receiver->out, &number, sizeof(number)) == 0)
			return;
	}
	atomic_fetch_add(&receiver->lost, 1);
	give(receiver, slot, ANSWER_CONTINUE);
}

/*
 * What is about to be taken must not be attached to: its call restarts after it was let go. The main thread looks
 * at each stop of a held one, and keeps a fast_path from being taken meanwhile: that is no reason.
 */
static bool settled_held(struct receiver *receiver, struct slot *slot, enum decided decided)
{
	const struct timespec moment = {.tv_nsec = 20000};

	if (!eintr_holds(&receiver->rescue, (pid_t)slot->notif.pid))
		return false;
	for (int i = 0; i < HELD_WAITS && decided == GLANCED_BUSY; i++) {
		nanosleep(&moment, NULL);
		decided = receiver->fast_path(receiver, slot);
	}
	if (decided == GLANCED_SETTLED)
		return true;
	if (!eintr_release(&receiver->rescue, (pid_t)slot->notif.pid))
		return false;
	give(receiver, slot, ANSWER_AGAIN);
	return true;
}

/* Waits for a notification, but no longer than for threads that are attached to. False when there may be none. */
static bool wait_for_call(struct receiver *receiver)
{
	struct pollfd fd = {.fd = receiver->in, .events = POLLIN};
	uint64_t ns = eintr_settle(&receiver->rescue);
	struct timespec time = {.tv_nsec = (long)ns};

	if (!ns && !receiver->polls)
		return true;
	if (ppoll(&fd, 1, ns ? &time : NULL, NULL) > 0) {
		receiver->hung_up = receiver->polls && !(fd.revents & POLLIN);
		return true;
	}
	eintr_attend(&receiver->rescue);
	return false;
}

/* Every microsecond counts. What was to be received is zero (ioctl_seccomp_unotify(2)): the slot is nobody's. */
static void lost(struct receiver *receiver)
{
	eintr_lost(&receiver->rescue, shared_waits(receiver->shared, receiver->rescue.last));
}

static bool is_fed(const struct receiver *receiver)
{
	return receiver->in != receiver->listener;
}

/* The outer exectrace has ended, and its keeper may have been killed, too: we receive with it, lest nobody does. */
static void be_cut(struct receiver *receiver)
{
	const uint16_t number = RECEIVER_CUT;

	receiver->in = receiver->listener;
	(void)fd_write_all(receiver->out, &number, sizeof(number));
}

/* False when no process has the filter any more. */
static bool receive_one(struct receiver *receiver, struct slot *slot)
{
	enum decided decided = GLANCED_MORE;
	int err = 0;

	get_ready(receiver);
	err = is_fed(receiver) ? nested_receive(receiver->in, slot) : listener_receive(receiver->listener, slot);
	if (!err) {
		eintr_note(&receiver->rescue, (pid_t)slot->notif.pid);
		set_priority(receiver);
		shared_wake(receiver->shared, receiver->wake);
		decided = receiver->fast_path(receiver, slot);
		if (decided != GLANCED_SETTLED && !settled_held(receiver, slot, decided))
			queue(receiver, slot);
		return true;
	}
	if (err == -ENOENT && !is_fed(receiver))
		lost(receiver);
	slot_free(slot);
	if (err != -ENOENT)
		return true;
	if (is_fed(receiver)) {
		be_cut(receiver);
		return true;
	}
	if (listener_ended(receiver->in))
		return false;
	atomic_fetch_add(&receiver->lost, 1);
	set_priority(receiver);
	return true;
}

static void *receive(void *arg)
{
	struct receiver *receiver = arg;
	const struct timespec moment = {.tv_nsec = 1000000};
	const uint16_t ended = RECEIVER_ENDED;

	while (sem_wait(&receiver->begin)) {
	}
	if (receiver->listener < 0)
		return NULL;
	priority_receiver(false);
	if (!receiver->source)
		atomic_store(&receiver->shared->receiver, gettid());
	for (;;) {
		struct slot *slot = NULL;

		if (!wait_for_call(receiver))
			continue;
		if (receiver->hung_up)
			break;
		slot = take_slot(receiver->shared, receiver->source);
		if (!slot) /* thousands wait for us: no use in hurrying */
			nanosleep(&moment, NULL);
		else if (!receive_one(receiver, slot))
			break;
	}
	if (receiver->polls)
		(void)fd_write_all(receiver->out, &ended, sizeof(ended));
	if (atomic_exchange(&receiver->left, 1))
		free(receiver->memory);
	return NULL;
}

int receiver_start(struct receiver *receiver, const struct launch *launch)
{
	pthread_attr_t attr;
	int err = 0;

	receiver->listener = -1;
	receiver->out = launch->queue[1];
	receiver->wake = launch->wake;
	receiver->shared = launch->shared;
	receiver->rescue.root = launch->root;
	idle_cpu_init(&receiver->busy);
	sem_init(&receiver->begin, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256u << 10);
	err = pthread_create(&receiver->thread, &attr, receive, receiver);
	pthread_attr_destroy(&attr);
	return -err;
}

int receiver_try(const struct receiver *receiver, int in)
{
	uint16_t number = 0;
	int err = fd_write_all(receiver->out, &number, sizeof(number));

	if (err)
		return err;
	return read(in, &number, sizeof(number)) < 0 ? -errno : 0;
}

void receiver_listen(struct receiver *receiver, int listener, int feed)
{
	receiver->listener = listener;
	receiver->in = feed >= 0 ? feed : listener;
	/* How an outer one's callers are woken is its own business. */
	receiver->pairs = receiver->together = receiver->near = feed < 0 && listener_sync_wakeup(listener, true);
	pthread_detach(receiver->thread);
	sem_post(&receiver->begin);
}

void receiver_stop(struct receiver *receiver)
{
	sem_post(&receiver->begin);
	pthread_join(receiver->thread, NULL);
}

bool receiver_leaves(struct receiver *receiver)
{
	const struct timespec moment = {.tv_nsec = 200000};

	for (int i = 0; i < LEAVE_TRIES && listener_ended(receiver->in) && !atomic_load(&receiver->left); i++)
		nanosleep(&moment, NULL);
	return atomic_exchange(&receiver->left, 1);
}
