/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threadform FORM PROGRAM [ARG]...
 * threadform ends|calls US PROGRAM [ARG]...
 * Executes PROGRAM in a process that has threads: the pid stays, all other threads die, one exec wins.
 *   other   a thread that is not the leader executes it while the leader sleeps
 *   busy    the same with 8 more threads that make system calls all the time
 *   race    four threads execute it at once
 *   zombie  the leader has ended before the exec
 *   ends    it ends and the exec, US microseconds after the thread began, comes when it comes
 *   calls   likewise, and the leader makes calls until it dies of the exec
 *   left    nothing is executed: the leader has ended, and a thread ends the process when the file PROGRAM is there
 *   failing a thread's exec fails first (the process must go on), then succeeds
 */
#include "victim.h"
#include <pthread.h>
#include <sys/syscall.h>

static pthread_barrier_t barrier;

static void *run(void *argument)
{
	char **argv = argument;

	execv(argv[0], argv);
	printf("execv: %s\n", errno_name(errno));
	exit(1);
}

static void *run_together(void *argument)
{
	pthread_barrier_wait(&barrier);
	return run(argument);
}

static void *run_alone(void *argument)
{
	sleep_ms(50); /* until the leader is a zombie */
	return run(argument);
}

static void *run_late(void *argument)
{
	char **argv = argument;

	usleep((useconds_t)atoi(argv[0]));
	return run(argv + 1);
}

static void *wait_alone(void *argument)
{
	char **argv = argument;

	while (access(argv[0], F_OK) != 0)
		sleep_ms(20);
	puts("went on");
	exit(0);
}

static void *run_after_failure(void *argument)
{
	char *none[] = {(char *)"/nonexistent/prog", NULL};

	sleep_ms(50); /* until the leader sleeps */
	execv(none[0], none);
	printf("first: %s\n", errno_name(errno));
	fflush(stdout);
	return run(argument);
}

static void *busy(void *argument)
{
	for (;;)
		syscall(SYS_getppid);
	return argument;
}

static void start(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, argument) != 0)
		die("pthread_create");
}

int main(int argc, char **argv)
{
	const char *form = argc > 2 ? argv[1] : "";
	int i;

	if (strcmp(form, "other") == 0) {
		start(run, argv + 2);
	} else if (strcmp(form, "busy") == 0) {
		for (i = 0; i < 8; i++)
			start(busy, NULL);
		start(run, argv + 2);
	} else if (strcmp(form, "race") == 0) {
		pthread_barrier_init(&barrier, NULL, 4);
		for (i = 0; i < 4; i++)
			start(run_together, argv + 2);
	} else if (strcmp(form, "zombie") == 0) {
		start(run_alone, argv + 2);
		pthread_exit(NULL);
	} else if (strcmp(form, "ends") == 0) {
		start(run_late, argv + 2);
		pthread_exit(NULL);
	} else if (strcmp(form, "calls") == 0) {
		start(run_late, argv + 2);
		busy(NULL);
	} else if (strcmp(form, "left") == 0) {
		start(wait_alone, argv + 2);
		pthread_exit(NULL);
	} else if (strcmp(form, "failing") == 0) {
		start(run_after_failure, argv + 2);
	} else {
		usage("threadform other|busy|race|zombie|ends US|calls US|left|failing PROGRAM [ARG]...");
	}
	sleep_ms(10000);
	return VICTIM_BROKEN;
}
