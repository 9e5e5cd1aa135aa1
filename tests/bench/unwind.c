/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind [STACKS]: what a stack costs, in microseconds. A child makes system calls below some functions; at each stop
 * its frames are taken. Prints what the first took, and the median of all but the first hundred.
 */
#include "now.h"

#include <exectrace/target/unwind/unwind.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH 10
#define WARM 100
#define STACKS 4000
#define FRAMES 64

static __attribute__((noinline, noclone)) long descend(int depth)
{
	volatile char room[64];
	long got;

	room[0] = (char)depth;
	got = depth ? descend(depth - 1) : syscall(SYS_getppid);
	return got + room[0];
}

static int work(long stacks)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (long i = 0; i < stacks; i++)
		descend(DEPTH);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Runs the child to the entry of its next system call. */
static int next_call(pid_t pid)
{
	int status = 0;

	return ptrace(PTRACE_SYSCALL, pid, NULL, NULL) == 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

int main(int argc, char **argv)
{
	long stacks = argc > 1 ? atol(argv[1]) : STACKS, n = 0;
	double *took = calloc((size_t)stacks * 2 + WARM, sizeof(*took));
	struct unwind_frame frames[FRAMES];
	struct elf_cache *cache = NULL;
	struct unwind_space *space = NULL;
	int count = 0;
	pid_t pid;

	if (stacks < 2 * WARM || !took || elf_cache_new(64, &cache) || unwind_space_new(cache, &space))
		return 2;
	pid = fork();
	if (pid == 0)
		_exit(work(stacks));
	if (waitpid(pid, NULL, 0) != pid)
		return 2;
	while (n < stacks && next_call(pid)) {
		double start = now();
		int got = unwind_stack(space, pid, frames, FRAMES);

		took[n++] = now() - start;
		count = got < 0 ? count : got;
		next_call(pid);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("%.1f us for the first\n", took[0] * 1e6);
	qsort(took + WARM, (size_t)(n - WARM), sizeof(*took), by_value);
	printf("%.2f us/stack %d frames, 99%% below %.2f us\n", took[WARM + (n - WARM) / 2] * 1e6, count,
	       took[WARM + (n - WARM) * 99 / 100] * 1e6);
	unwind_space_free(space);
	elf_cache_free(cache);
	free(took);
	return 0;
}
