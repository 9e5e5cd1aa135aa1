/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many at once: crowd THREADS CALLS CHILDREN. So many threads that each make so many getppid(2); then so many children,
 * up to twenty at a time, that make one each, every third of which executes true(1).
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 1000

static long calls;

static void *work(void *arg)
{
	for (long i = 0; i < calls; i++)
		syscall(SYS_getppid);
	return arg;
}

static void child(long i)
{
	syscall(SYS_getppid);
	if (i % 3 == 0)
		execlp("true", "true", (char *)NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	long n = argc > 3 ? atol(argv[1]) : 0, children = argc > 3 ? atol(argv[3]) : 0;

	if (argc < 4 || n > THREADS)
		return 2;
	calls = atol(argv[2]);
	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 3;
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (long i = 0; i < children; i++) {
		if (fork() == 0)
			child(i);
		while (i % 20 == 19 && wait(NULL) > 0)
			;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
