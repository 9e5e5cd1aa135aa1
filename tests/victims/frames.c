/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of all kinds, each at a getppid(2) of leaf: frames [LIBRARY...]. Recursion, shallow and deep; a signal
 * handler; children by fork and vfork; the function `plug` of libraries that are loaded and unloaded one after the
 * other; a thread. frames -d DEPTH: a call at each depth, while another thread waits in a read(2). Built in many ways
 * by tests/e2e/trace-stack.sh, also as the library (-DPLUG=BYTES of its frame).
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAR __attribute__((noinline, noclone))
/* What follows a call, so that it is none in tail position. */
#define AFTER __asm__ volatile("" ::: "memory")

typedef int call_fn(void);

#ifdef PLUG
int plug(call_fn *call);

FAR static int inner(call_fn *call)
{
	volatile char room[PLUG];
	int r;

	room[3] = 1;
	r = call();
	AFTER;
	return r + room[3];
}

int plug(call_fn *call)
{
	int r = inner(call);

	AFTER;
	return r + 1;
}
#else
FAR static int leaf(void)
{
	int r = (int)getppid();

	AFTER;
	return r;
}

FAR static int descend(int n)
{
	volatile char room[40];
	int r;

	room[n % 40] = 1;
	r = n ? descend(n - 1) : leaf();
	AFTER;
	return r + room[n % 40];
}

static void handler(int sig)
{
	(void)sig;
	leaf();
	AFTER;
}

static void *begin(void *arg)
{
	descend(3);
	AFTER;
	return arg;
}

FAR static void children(void)
{
	if (fork() == 0) {
		descend(2);
		_exit(0);
	}
	wait(NULL);
	if (vfork() == 0)
		_exit(0);
	wait(NULL);
}

FAR static int load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*plug)(call_fn *) = library ? (int (*)(call_fn *))dlsym(library, "plug") : NULL;
	int r = plug ? plug(leaf) : 0;

	if (library)
		dlclose(library);
	return plug ? r : -1;
}

FAR static int at_each(int n)
{
	volatile int r = leaf();

	if (n)
		r += at_each(n - 1);
	AFTER;
	return r;
}

static int ends[2];

static void *wait_for_main(void *arg)
{
	char byte;

	if (read(ends[0], &byte, 1) != 1)
		_exit(3);
	AFTER;
	return arg;
}

static int deep(int depth)
{
	pthread_t thread;

	if (pipe(ends) || pthread_create(&thread, NULL, wait_for_main, NULL))
		return 2;
	at_each(depth);
	if (write(ends[1], "", 1) != 1)
		return 2;
	pthread_join(thread, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc == 3 && strcmp(argv[1], "-d") == 0)
		return deep(atoi(argv[2]));
	descend(5);
	descend(200);
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	children();
	for (int i = 1; i < argc; i++) {
		if (load(argv[i]) < 0)
			return 9;
	}
	pthread_create(&thread, NULL, begin, NULL);
	pthread_join(thread, NULL);
	return 0;
}
#endif
