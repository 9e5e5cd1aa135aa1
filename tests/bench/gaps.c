/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gaps: computes until SIGTERM comes, then prints the longest time for which it was not run, in seconds. */
#include "now.h"

#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t over;

static void end(int sig)
{
	(void)sig;
	over = 1;
}

int main(void)
{
	double last, longest = 0;

	signal(SIGTERM, end);
	puts("ready");
	fflush(stdout);
	last = now();
	while (!over) {
		double at = now();

		longest = at - last > longest ? at - last : longest;
		last = at;
	}
	printf("%.6f\n", longest);
	return 0;
}
