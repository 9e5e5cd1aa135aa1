/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * siglog MS SIGNAL...
 * Counts the SIGNALs it gets: prints "ready", waits for the first one (60 s at most), then MS milliseconds for more
 * that would be too many, and prints how often each came.
 */
#include "victim.h"

static volatile sig_atomic_t counts[65];

static void count(int sig)
{
	counts[sig]++;
}

static bool any(void)
{
	int sig;

	for (sig = 1; sig < 65; sig++)
		if (counts[sig])
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
	int64_t end = now_ms() + 60000;
	int i;

	if (argc < 3)
		usage("siglog MS SIGNAL...");
	for (i = 2; i < argc; i++)
		sigaction(signal_number(argv[i]), &action, NULL);
	printf("ready\n");
	fflush(stdout);
	while (!any() && now_ms() < end)
		sleep_ms(1);
	for (end = now_ms() + atoi(argv[1]); now_ms() < end;)
		sleep_ms(5);
	for (i = 2; i < argc; i++)
		printf("%s %d\n", argv[i], (int)counts[signal_number(argv[i])]);
	return 5;
}
