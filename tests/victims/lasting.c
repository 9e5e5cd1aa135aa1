/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lasting THREADS: so many threads that open and close a file again and again, until the end of the input. Says how
 * many of their calls failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 1000

static atomic_bool done;
static atomic_long failed;

static void *work(void *arg)
{
	(void)arg;
	while (!done) {
		int fd = open("/dev/null", O_RDONLY);

		if (fd < 0 || close(fd))
			failed++;
		usleep(200);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int n = argc > 1 ? atoi(argv[1]) : 1;
	char byte;

	for (int i = 0; i < n && i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	}
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) > 0 || errno == EINTR)
		errno = 0;
	done = true;
	for (int i = 0; i < n && i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld failed\n", failed);
	return 0;
}
