/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x32call PROGRAM [ARG]...
 * Makes system calls by their x32 numbers (bit 30 set) from a 64-bit program. Most kernels have no x32 and say ENOSYS;
 * a filter must not turn that into something else. Prints the errno of getpid, of a failing execve (520) and execveat
 * (545), and of an execve of PROGRAM, which runs it where there is x32.
 */
#include "victim.h"
#include <sys/syscall.h>

#ifdef __x86_64__
#define X32 0x40000000

static void say(const char *what, long ret)
{
	printf("%s: %s\n", what, ret < 0 ? errno_name(errno) : "done");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		usage("x32call PROGRAM [ARG]...");
	say("getpid", syscall(X32 + 39));
	say("execve of a missing file", syscall(X32 + 520, "/nonexistent/prog", NULL, NULL));
	say("execveat with a bad descriptor", syscall(X32 + 545, 999, "x", NULL, NULL, 0));
	say("number 59 with the bit", syscall(X32 + 59, "/nonexistent/prog", NULL, NULL));
	say("execve", syscall(X32 + 520, argv[1], NULL, NULL));
	execv(argv[1], argv + 1);
	return 1;
}
#else
int main(void)
{
	return 77;
}
#endif
