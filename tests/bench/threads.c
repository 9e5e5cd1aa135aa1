/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads N: starts and joins N threads, one after the other, and prints the seconds that took. */
#include "now.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 0;
	double start = now();

	for (i = 0; i < n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	printf("%.6f\n", now() - start);
	return n < 1;
}
