/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls N [THREADS]: makes N system calls (getppid) in each thread, and prints the seconds that took. */
#include "now.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS_MAX 64

static void *make_calls(void *n)
{
	for (int i = 0; i < *(int *)n; i++)
		syscall(SYS_getppid);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t others[THREADS_MAX];
	double start = now();

	for (int i = 1; i < threads && i < THREADS_MAX; i++) {
		if (pthread_create(&others[i], NULL, make_calls, &n))
			return 1;
	}
	make_calls(&n);
	for (int i = 1; i < threads && i < THREADS_MAX; i++)
		pthread_join(others[i], NULL);
	printf("%.6f\n", now() - start);
	return n < 1;
}
