/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * selfstop SIGNAL
 * Stops itself with SIGNAL twice and says so, on stderr, after each continuation. WATCH_FD in the environment is a pipe
 * from which it reads a byte before it goes on: its parent (watchstops) has fetched the event by then, which the next
 * one would replace otherwise.
 */
#include "victim.h"

int main(int argc, char **argv)
{
	const char *fd = getenv("WATCH_FD");
	char byte;
	int i;

	if (argc != 2)
		usage("selfstop SIGNAL");
	for (i = 1; i <= 2; i++) {
		raise(signal_number(argv[1]));
		fprintf(stderr, "continued %d\n", i);
		if (fd && read(atoi(fd), &byte, 1) != 1)
			die("WATCH_FD");
	}
	return 7;
}
