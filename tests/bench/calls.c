/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls N: makes N system calls (getppid), and prints the seconds that took. */
#include "now.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 0;
	double start = now();

	for (i = 0; i < n; i++)
		syscall(SYS_getppid);
	printf("%.6f\n", now() - start);
	return n < 1;
}
