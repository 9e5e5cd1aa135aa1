/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locker HOW: threads that wait for ever. cycle: two, each with the mutex that the other one wants; priority: the same
 * with mutexes that inherit priorities; ended: one whose mutex a thread had that has ended; itself: one that has it
 * already.
 */
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static pthread_mutex_t locks[2];
static pthread_barrier_t both;
static const char *how;

static void *in_cycle(void *number)
{
	size_t first = *(const size_t *)number;

	prctl(PR_SET_NAME, first ? "second" : "first");
	pthread_mutex_lock(&locks[first]);
	pthread_barrier_wait(&both);
	usleep(100000 + 200000 * (unsigned)first);
	pthread_mutex_lock(&locks[!first]);
	return NULL;
}

static void *takes(void *none)
{
	prctl(PR_SET_NAME, "taker");
	pthread_mutex_lock(&locks[0]);
	if (strcmp(how, "itself") == 0)
		pthread_mutex_lock(&locks[0]);
	return none;
}

int main(int argc, char **argv)
{
	size_t numbers[2] = {0, 1};
	pthread_mutexattr_t kind;
	pthread_t threads[2];

	how = argc > 1 ? argv[1] : "cycle";
	pthread_mutexattr_init(&kind);
	if (strcmp(how, "priority") == 0)
		pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
	for (size_t i = 0; i < 2; i++)
		pthread_mutex_init(&locks[i], &kind);
	pthread_barrier_init(&both, NULL, 2);
	if (strcmp(how, "ended") == 0 || strcmp(how, "itself") == 0) {
		pthread_create(&threads[0], NULL, takes, NULL);
		pthread_join(threads[0], NULL);
		return pthread_mutex_lock(&locks[0]);
	}
	for (size_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, in_cycle, &numbers[i]);
	return pthread_join(threads[0], NULL);
}
