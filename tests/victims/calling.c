/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calling [-f|-e] THREADS
 * That many threads call getppid() without pause, and with -f the first one also forks children that do, with -e all of
 * them children that execute this program to do so, until standard input ends. Then says how many of the calls failed,
 * which they never do.
 */
#include "victim.h"
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define CHILD_CALLS 20

static atomic_bool over;
static atomic_ulong calls, failed;
static bool forks, executes;

static void call(void)
{
	if (syscall(SYS_getppid) < 0)
		failed++;
	calls++;
}

static int call_as_child(void)
{
	int n = 0;

	for (int i = 0; i < CHILD_CALLS; i++)
		n += syscall(SYS_getppid) < 0;
	return n;
}

/* A child's failures are its status. */
static void fork_one(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0 && executes)
		execl("/proc/self/exe", "calling", "-c", (char *)NULL);
	if (pid == 0)
		_exit(executes ? 99 : call_as_child());
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		failed++;
}

static void *caller(void *none)
{
	while (!over) {
		call();
		if (executes)
			fork_one();
	}
	return none;
}

static bool input_ended(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&in, 1, 0) != 0;
}

int main(int argc, char **argv)
{
	const char *option = argc > 1 && *argv[1] == '-' ? argv[1] : "";
	int n = argc > 1 + (*option != 0) ? atoi(argv[1 + (*option != 0)]) : 1;
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));

	if (strcmp(option, "-c") == 0)
		return call_as_child();
	executes = strcmp(option, "-e") == 0;
	forks = executes || strcmp(option, "-f") == 0;

	for (int i = 1; i < n; i++) {
		if (pthread_create(&threads[i], NULL, caller, NULL))
			return 2;
	}
	puts("calling");
	fflush(stdout);
	while (!input_ended()) {
		for (int i = 0; i < 100; i++)
			call();
		if (forks)
			fork_one();
	}
	over = true;
	for (int i = 1; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%s, %lu failed\n", calls ? "called" : "no calls", (unsigned long)failed);
	return failed != 0;
}
