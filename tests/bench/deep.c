/* SPDX-License-Identifier: GPL-2.0-or-later */
/* deep [CALLS]: system calls below a dozen functions, for tracers that take the stack of each. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH 10

static __attribute__((noinline, noclone)) long descend(int depth, long calls)
{
	volatile char room[64];
	long got = 0;

	room[0] = (char)depth;
	if (depth)
		got = descend(depth - 1, calls);
	else
		while (calls--)
			got += syscall(SYS_getppid);
	return got + room[0];
}

int main(int argc, char **argv)
{
	return descend(DEPTH, argc > 1 ? atol(argv[1]) : 20000) < 0;
}
