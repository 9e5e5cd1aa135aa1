/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * indexer hold: computes while it has a lock; indexer get: gets the lock; indexer await: waits for what nobody tells,
 * for five seconds of the realtime clock.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;

static __attribute__((noinline)) void index_batch(void)
{
	for (unsigned i = 0;; i++)
		sum += i ^ sum >> 3;
}

static __attribute__((noinline)) void lock_database(void)
{
	flock(open("/run/database.lock", O_RDWR | O_CREAT, 0600), LOCK_EX);
}

static __attribute__((noinline)) void await_link(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t link = PTHREAD_COND_INITIALIZER;
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 5;
	pthread_mutex_lock(&mutex);
	while (!pthread_cond_timedwait(&link, &mutex, &end))
		;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "await") == 0) {
		await_link();
		return 0;
	}
	lock_database();
	if (argc > 1 && strcmp(argv[1], "hold") == 0) {
		close(open("/run/locked", O_CREAT | O_WRONLY, 0600));
		index_batch();
	}
	return 0;
}
