/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads that receive notifications, and queue those that a glance does not settle. Both wait for each one. The
 * first has a normal policy, so the kernel wakes it where the caller runs, which is about to sleep: it nearly always
 * gets the notification, and nobody changes processors. The second has real-time priority: it comes in time for those
 * whose processor is busy.
 */
#ifndef EXECTRACE_SRC_ENGINE_RECEIVER_H
#define EXECTRACE_SRC_ENGINE_RECEIVER_H

#include "rescue.h"
#include "shared.h"
#include <pthread.h>
#include <stdatomic.h>

#define RECEIVER_THREADS 2u

struct receiver_thread {
	struct receiver *receiver;
	pthread_t thread;
	struct rescue rescue;
	void (*prioritize)(void);
};

struct receiver {
	/* Set before the start: called, in a receiver's thread, with what was received. True: it is answered. */
	bool (*glance)(struct receiver *receiver, struct slot *slot);
	int listener;
	struct shared *shared;
	int queue[2]; /* a pipe of slot numbers (uint16_t) */
	struct receiver_thread threads[RECEIVER_THREADS];
	struct rescue_recent recent;
	atomic_uint ended; /* threads that need this struct no longer */
	unsigned started;
	atomic_ulong lost; /* notifications whose caller was gone or interrupted before they were received */
};

/* Starts the threads, for the tree below process root. 0 or -errno. */
int receiver_start(struct receiver *receiver, int listener, struct shared *shared, pid_t root);

/* Up to n numbers of slots received, without waiting. The count. */
size_t receiver_take(struct receiver *receiver, uint16_t *slots, size_t n);

/* Waits a moment for their end, which comes when no process has the filter any more. True when they have ended. */
bool receiver_ended(struct receiver *receiver);

/* Execves that would have returned EINTR and began anew instead. */
unsigned long receiver_rescued(const struct receiver *receiver);

#endif
