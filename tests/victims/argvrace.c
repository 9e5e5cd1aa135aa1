/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * argvrace N PROGRAM
 * N processes, one after the other, execute PROGRAM while a thread of each goes on changing what argv points to: from
 * one argument to another, to none, to a string that never ends, to addresses where nothing is. Prints how many ended
 * with 0.
 */
#include "victim.h"
#include <pthread.h>
#include <sys/mman.h>

static char *volatile words[4];
static char *endless; /* the last page before nothing */

static void *change(void *unused)
{
	static char one[] = "PICKME", other[] = "a";

	for (;;) {
		words[1] = one;
		words[1] = (char *)8;
		words[1] = other;
		words[1] = endless;
		words[1] = NULL;
		one[0] ^= 'P' ^ 'p';
		words[1] = one;
		words[2] = one;
		words[2] = NULL;
	}
	return unused;
}

static _Noreturn void child(char *program)
{
	pthread_t thread;

	words[0] = program;
	if (pthread_create(&thread, NULL, change, NULL))
		die("pthread_create");
	for (;;)
		execv(program, (char *const *)words); /* it fails with EFAULT where nothing is */
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[1]) : 0, good = 0, status;

	if (!n)
		usage("argvrace N PROGRAM");
	endless = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (endless == MAP_FAILED || munmap(endless + 4096, 4096))
		die("mmap");
	memset(endless, 'x', 4096);
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child(argv[2]);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			die("fork");
		good += status == 0;
	}
	printf("%d of %d ended well\n", good, n);
	return 0;
}
