/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "receiver.h"

#include "listener.h"
#include "priority.h"
#include <errno.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

/* The lowest free slot, now busy: few are in use at a time, so few pages are ever touched. */
static struct slot *claim_slot(struct shared *shared)
{
	for (size_t i = 0; i < SLOTS; i++) {
		struct slot *slot = &shared->slot[i];

		if (!atomic_load(&slot->busy) && !atomic_exchange(&slot->busy, 1))
			return slot;
	}
	return NULL;
}

/* False when no process has the filter any more. */
static bool receive_one(struct receiver_thread *self, struct slot *slot)
{
	struct receiver *receiver = self->receiver;
	uint16_t number = (uint16_t)(slot - receiver->shared->slot);
	int err = listener_receive(receiver->listener, slot);

	if (!err) {
		rescue_note(&receiver->recent, (pid_t)slot->notif.pid);
		return receiver->glance(receiver, slot) ||
		       fd_write_all(receiver->queue[1], &number, sizeof(number)) == 0;
	}
	if (err == -ENOENT)
		rescue_lost(&self->rescue); /* first of all: every microsecond counts */
	slot_free(slot);
	if (err != -ENOENT)
		return true;
	if (listener_ended(receiver->listener))
		return false;
	atomic_fetch_add(&receiver->lost, 1);
	return true;
}

static void *receive(void *arg)
{
	struct receiver_thread *self = arg;
	struct receiver *receiver = self->receiver;
	const struct timespec moment = {.tv_nsec = 1000000};
	struct pollfd fd = {.fd = receiver->listener, .events = POLLIN};
	bool more = true;

	self->prioritize();
	while (more) {
		struct slot *slot = NULL;

		if (rescue_settle(&self->rescue) && poll(&fd, 1, 1) == 0)
			continue;
		slot = claim_slot(receiver->shared);
		if (slot)
			more = receive_one(self, slot);
		else /* thousands wait for us: no use in hurrying */
			nanosleep(&moment, NULL);
	}
	atomic_fetch_add(&receiver->ended, 1);
	return NULL;
}

static int start_thread(struct receiver *receiver, struct receiver_thread *thread, pid_t root)
{
	pthread_attr_t attr;
	int err = 0;

	thread->receiver = receiver;
	thread->rescue.root = root;
	thread->rescue.recent = &receiver->recent;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256u << 10);
	err = pthread_create(&thread->thread, &attr, receive, thread);
	pthread_attr_destroy(&attr);
	if (!err)
		receiver->started++;
	return -err;
}

int receiver_start(struct receiver *receiver, int listener, struct shared *shared, pid_t root)
{
	int err = fd_pipe(receiver->queue, O_NONBLOCK);

	if (err)
		return err;
	receiver->listener = listener;
	receiver->shared = shared;
	receiver->threads[0].prioritize = priority_receiver;
	receiver->threads[1].prioritize = priority_backup;
	err = start_thread(receiver, &receiver->threads[0], root);
	/* It works without the second, too. */
	if (!err && priority_has_real_time())
		(void)start_thread(receiver, &receiver->threads[1], root);
	return err;
}

size_t receiver_take(struct receiver *receiver, uint16_t *slots, size_t n)
{
	ssize_t got = read(receiver->queue[0], slots, n * sizeof(*slots));

	return got > 0 ? (size_t)got / sizeof(*slots) : 0;
}

bool receiver_ended(struct receiver *receiver)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	for (int i = 0; i < 50 && atomic_load(&receiver->ended) < receiver->started; i++)
		nanosleep(&moment, NULL);
	return atomic_load(&receiver->ended) == receiver->started;
}

unsigned long receiver_rescued(const struct receiver *receiver)
{
	unsigned long n = 0;

	for (size_t i = 0; i < RECEIVER_THREADS; i++)
		n += receiver->threads[i].rescue.saved;
	return n;
}
