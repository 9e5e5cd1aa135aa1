/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repeated N: makes the same call N times; static, at a fixed low address (FLAGS). */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
		syscall(SYS_getppid);
	return 0;
}
