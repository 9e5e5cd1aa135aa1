/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * selfstop SIGNAL
 * Stops itself with SIGNAL twice and says so after each continuation.
 */
#include "victim.h"

int main(int argc, char **argv)
{
	int i;

	if (argc != 2)
		usage("selfstop SIGNAL");
	for (i = 1; i <= 2; i++) {
		sleep_ms(250); /* an event that its parent has not fetched yet is replaced by the next */
		raise(signal_number(argv[1]));
		printf("continued %d\n", i);
		fflush(stdout);
	}
	return 7;
}
