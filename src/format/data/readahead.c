/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Another thread that unpacks blocks while the reader is at those before them. */
#include "read.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#define AHEAD 2u /* blocks, and the one that is being read */

struct readahead_slot {
	int rc;
	struct block block;
};

struct readahead {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct blocks *blocks;
	unsigned made, taken; /* blocks; they only grow */
	bool stop;
	struct readahead_slot slots[AHEAD];
};

/* Waits until there is a free slot. NULL: no more is wanted. */
static struct readahead_slot *free_slot(struct readahead *ahead)
{
	bool stop;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->stop && ahead->made - ahead->taken == AHEAD)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	stop = ahead->stop;
	pthread_mutex_unlock(&ahead->lock);
	return stop ? NULL : &ahead->slots[ahead->made % AHEAD];
}

static void count(struct readahead *ahead, unsigned *number)
{
	pthread_mutex_lock(&ahead->lock);
	++*number;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
}

static void *run(void *user)
{
	struct readahead *ahead = user;
	struct readahead_slot *slot;
	int rc = 1;

	while (rc == 1 && (slot = free_slot(ahead))) {
		rc = slot->rc = blocks_next(ahead->blocks, &slot->block);
		if (rc == 1)
			block_expand(&slot->block);
		count(ahead, &ahead->made);
	}
	return NULL;
}

int readahead_start(struct readahead **ret, struct blocks *blocks)
{
	struct readahead *ahead = calloc(1, sizeof(*ahead));
	sigset_t all, before;
	int rc;

	if (!ahead)
		return -ENOMEM;
	ahead->blocks = blocks;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	/* Signals are for the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&ahead->thread, NULL, run, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc)
		free(ahead);
	else
		*ret = ahead;
	return -rc;
}

int readahead_next(struct readahead *ahead, struct block *b)
{
	const struct buf unpacked = b->unpacked, items = b->items, rare = b->rare;
	struct readahead_slot *slot = &ahead->slots[ahead->taken % AHEAD];
	int rc;

	pthread_mutex_lock(&ahead->lock);
	while (ahead->made == ahead->taken)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	pthread_mutex_unlock(&ahead->lock);
	*b = slot->block;
	slot->block.unpacked = unpacked;
	slot->block.items = items;
	slot->block.rare = rare;
	rc = slot->rc;
	count(ahead, &ahead->taken);
	return rc;
}

void readahead_end(struct readahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_signal(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	pthread_join(ahead->thread, NULL);
	for (unsigned i = 0; i < AHEAD; i++)
		block_release(&ahead->slots[i].block);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}
