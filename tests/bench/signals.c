/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signals N: sends itself N signals, each with a handler, and prints the seconds that took. */
#include "now.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void on_signal(int sig)
{
	(void)sig;
	seen = seen + 1;
}

int main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 0;
	pid_t self = getpid();
	double start;

	signal(SIGUSR1, on_signal);
	start = now();
	for (i = 0; i < n; i++)
		kill(self, SIGUSR1);
	printf("%.6f\n", now() - start);
	return seen != n;
}
