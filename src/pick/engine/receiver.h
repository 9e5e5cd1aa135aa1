/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that receives notifications, and queues those that a fast_path does not settle. */
#ifndef EXECTRACE_SRC_PICK_ENGINE_RECEIVER_H
#define EXECTRACE_SRC_PICK_ENGINE_RECEIVER_H

#include "eintr_restart.h"
#include "idle_cpu.h"
#include <exectrace/pick/launch/launch.h>
#include <exectrace/pick/launch/shared.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/* What came of a fast_path at a notification. */
enum decided {
	GLANCED_SETTLED, /* it is answered */
	GLANCED_MORE,    /* it is for the main thread */
	GLANCED_BUSY,    /* that one is at work: it could not be looked at */
};

struct receiver {
	/* Set before the start: called, in the receiver's thread, with what was received. */
	enum decided (*fast_path)(struct receiver *receiver, struct slot *slot);
	void *owner;     /* ... for that */
	int listener;    /* by which is answered */
	int in;          /* what it receives from: that, or what an outer exectrace sends (pick/launch/nested.h) */
	unsigned source; /* its number (struct sources) */
	bool polls; /* one of several: it waits until there is something to receive, and says at the end that it ends */
	bool hung_up; /* then: no process has the filter any more */
	struct shared *shared;
	int out;     /* the pipe of slot numbers */
	int wake;    /* the keeper's eventfd */
	sem_t begin; /* posted when there is a listener, or will be none */
	pthread_t thread;
	struct eintr_restart rescue;
	bool pairs;    /* the kernel can wake on a given processor */
	bool together; /* callers are woken on the receiver's processor, and it on theirs */
	bool alone;    /* it slept when the last call came */
	bool near;     /* the next caller is to wake it where that runs */
	struct idle_cpu busy;
	bool urgent;       /* it has a real-time priority, where it may */
	atomic_int left;   /* one of thread and engine needs this struct no longer: the other one frees it */
	void *memory;      /* that it is part of, from malloc */
	atomic_ulong lost; /* notifications whose caller was gone or interrupted before they were received, and those
	                    * that the main thread could not be told of */
};

/* Starts it, for the tree of a launch. It waits for its listener. 0 or -errno. */
int receiver_start(struct receiver *receiver, const struct launch *launch);

/* Before it has its listener: 0 when what it writes into the pipe can be read at the other end, else -errno. */
int receiver_try(const struct receiver *receiver, int in);

/* Gives it the listener, and a feed unless that is negative. This cannot fail. */
void receiver_listen(struct receiver *receiver, int listener, int feed);

/* In the pipe, which are no numbers of slots. */
#define RECEIVER_ENDED UINT16_MAX          /* `polls` */
#define RECEIVER_CUT (UINT16_MAX - 1u)     /* the feed has ended: it receives from the listener, of all of its tree */
#define RECEIVER_NOTHING (UINT16_MAX - 2u) /* it only wakes */

/* There will be no listener: ends it. */
void receiver_stop(struct receiver *receiver);

/*
 * In its thread, before a call is answered. A caller that found it asleep is woken where both are, on a processor that
 * nobody else waits for: to wake someone elsewhere costs more than all the rest, and on a machine whose processors are
 * all taken much more. Not so when several call at once, who come from several processors and shall go on there, nor
 * when a processor is idle while others run: make -j2 on two of them took 4 % longer.
 */
void receiver_answers(struct receiver *receiver);

/*
 * True when it has ended, which it does when no process has the filter any more: that is waited for, at most 20 ms;
 * before Linux 6.11 it stays in the kernel then. Else its memory is its own from now on, and goes with it.
 */
bool receiver_leaves(struct receiver *receiver);

#endif
