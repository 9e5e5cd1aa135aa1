/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupted N US: makes N rounds of calls while a timer's signal comes every US microseconds, then sleeps that it
 * interrupts. Prints the seconds that took; 1 when a call was not made, or made twice.
 *
 * A tracer whose stops take longer makes the calls take longer, so more signals come in between, which make more stops:
 * near the point where a signal comes before the last one has been dealt with, small differences become large.
 */
#include "now.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SLEEPS 100

static int null, ends[2];

static void on_signal(int sig)
{
	int saved = errno;

	(void)sig;
	(void)!write(null, "h", 1);
	errno = saved;
}

static void timer(long us)
{
	struct itimerval every = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &every, NULL);
}

/* Bytes through a pipe come one by one and in order, whatever interrupts. */
static int lost(int i)
{
	unsigned char byte = (unsigned char)i, got = 0;

	return write(ends[1], &byte, 1) != 1 || read(ends[0], &got, 1) != 1 || got != byte || syscall(SYS_getppid) <= 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	int n = argc > 1 ? atoi(argv[1]) : 0, bad = 0, interrupted = 0;
	long us = argc > 2 ? atol(argv[2]) : 200;
	double start;

	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null < 0 || pipe(ends) || sigaction(SIGALRM, &action, NULL))
		return 2;
	start = now();
	timer(us);
	for (int i = 0; i < n; i++)
		bad += lost(i);
	for (int i = 0; i < SLEEPS; i++) {
		const struct timespec long_one = {0, 50000000};

		interrupted += nanosleep(&long_one, NULL) && errno == EINTR;
	}
	timer(0);
	printf("%.6f\n", now() - start);
	return bad || interrupted != SLEEPS;
}
