/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deadlock FILE
 * Two threads wait for the lock that the other one has, for good, and a third one computes. FILE is there when they do.
 */
#include "victim.h"
#include <fcntl.h>
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static __attribute__((noinline)) void *take_right(void *argument)
{
	pthread_mutex_lock(&left);
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&right);
	return argument;
}

static __attribute__((noinline)) void *take_left(void *argument)
{
	pthread_mutex_lock(&right);
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&left);
	return argument;
}

static void *compute(void *argument)
{
	for (volatile unsigned i = 0;; i++)
		continue;
	return argument;
}

static pthread_t start(void *(*function)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, NULL) != 0)
		die("pthread_create");
	return thread;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2)
		usage("deadlock FILE");
	pthread_barrier_init(&barrier, NULL, 2);
	start(compute);
	start(take_left);
	thread = start(take_right);
	sleep_ms(100); /* until they wait */
	close(open(argv[1], O_WRONLY | O_CREAT, 0600));
	pthread_join(thread, NULL);
	return VICTIM_BROKEN;
}
