// SPDX-License-Identifier: GPL-2.0-or-later
// Its first thread waits for the end of another one, which sleeps for half a second.
#include <pthread.h>
#include <time.h>

static void *run(void *arg)
{
	const struct timespec half = {.tv_nsec = 500000000};

	nanosleep(&half, NULL);
	return arg;
}

int main(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL);
}
