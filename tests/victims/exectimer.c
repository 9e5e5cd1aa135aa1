/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exectimer US N[/SECONDS] [PROGRAM ARGUMENT...]
 * Makes N execves that fail (ENOENT) while an interval timer of US microseconds sends SIGALRM, whose handler has no
 * SA_RESTART; or as many as it can in SECONDS, after which there are no signals any more. An execve never returns EINTR
 * by itself; prints how many did. Then executes PROGRAM.
 */
#include "victim.h"
#include <sys/time.h>
#include <time.h>

#define SECONDS 3600

static volatile sig_atomic_t ticks;
static time_t end;

static void tick(int sig)
{
	(void)sig;
	ticks++;
	if (time(NULL) > end) /* on a busy machine the execve that it meets may not come to its end otherwise */
		setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = tick};
	struct itimerval timer = {{0, 0}, {0, 0}};
	char *none[] = {(char *)"/nonexistent/program", NULL};
	int i, n, interrupted = 0, other = 0;

	if (argc < 3)
		usage("exectimer US N[/SECONDS] [PROGRAM ARGUMENT...]");
	n = atoi(argv[2]);
	timer.it_value.tv_usec = timer.it_interval.tv_usec = atoi(argv[1]);
	end = time(NULL) + (strchr(argv[2], '/') ? atoi(strchr(argv[2], '/') + 1) : SECONDS);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (i = 0; i < n && time(NULL) <= end; i++) {
		execve(none[0], none, environ);
		interrupted += errno == EINTR;
		other += errno != EINTR && errno != ENOENT;
	}
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
	fprintf(stderr, "exectimer: %d signals\n", (int)ticks);
	printf("%d of %d execves returned EINTR, %d another error\n", interrupted, i, other);
	if (argc > 3) {
		fflush(stdout);
		execv(argv[3], argv + 3);
		return 127;
	}
	return 0;
}
