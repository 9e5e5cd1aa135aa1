/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split UNITS [HOW]: burns UNITS of processor time, a hundredth of a second each, three quarters of it in `heavy` and
 * one in `light`, both called by `both`. By the clock of the thread, so the shares hold on any machine. HOW: thread (in
 * a second one, called "burner"), fork (in a child), exec (in a child that executes split again), deep (with a stack
 * larger than what is copied), load (in a library, FILE behind it, that is loaded: its function `plugged`), wait (until
 * standard input ends), last (in the thread, once standard input ends: all is over right behind it).
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FAR __attribute__((noinline, noclone))
#define AFTER __asm__ volatile("" ::: "memory")

static volatile unsigned long sum;

static long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* So much between two looks at the clock, a system call, that a sample hardly ever meets it: there are machines where
 * one is slow. */
FAR void spin(long until)
{
	while (now() < until)
		for (int i = 0; i < 20000; i++)
			sum += (unsigned long)i;
}

FAR void heavy(long begin)
{
	spin(begin + 7500000);
	AFTER;
}

FAR void light(long begin)
{
	spin(begin + 2500000);
	AFTER;
}

FAR void both(int units)
{
	for (int i = 0; i < units; i++) {
		heavy(now());
		light(now());
		AFTER;
	}
}

FAR void deep(int units, int depth)
{
	volatile char room[1000];

	room[depth % 1000] = 1;
	if (depth)
		deep(units, depth - 1);
	else
		both(units);
	sum += (unsigned long)room[depth % 1000];
}

static void until_the_end(void)
{
	while (getchar() != EOF)
		;
}

static void *thread(void *units)
{
	prctl(PR_SET_NAME, "burner");
	both(*(int *)units);
	return NULL;
}

static void *last(void *units)
{
	prctl(PR_SET_NAME, "burner");
	until_the_end();
	both(*(int *)units);
	return NULL;
}

static void in_child(int units, char *program)
{
	char text[16];

	if (fork() == 0) {
		snprintf(text, sizeof(text), "%d", units);
		if (program)
			execl(program, "split", text, (char *)NULL);
		else
			both(units);
		_exit(0);
	}
	wait(NULL);
}

static int load(int units, const char *file)
{
	void *library = dlopen(file, RTLD_NOW);
	void (*plugged)(void (*)(int), int) = library ? (void (*)(void (*)(int), int))dlsym(library, "plugged") : NULL;

	if (!plugged)
		return 9;
	plugged(both, units);
	return dlclose(library);
}

int main(int argc, char **argv)
{
	int units = argc > 1 ? atoi(argv[1]) : 1;
	const char *how = argc > 2 ? argv[2] : "";
	pthread_t id;

	if (strcmp(how, "thread") == 0 || strcmp(how, "last") == 0)
		return pthread_create(&id, NULL, *how == 't' ? thread : last, &units) || pthread_join(id, NULL);
	if (strcmp(how, "load") == 0)
		return load(units, argv[3]);
	if (strcmp(how, "fork") == 0 || strcmp(how, "exec") == 0)
		in_child(units, *how == 'e' ? argv[0] : NULL);
	else if (strcmp(how, "deep") == 0)
		deep(units, 40);
	else
		both(units);
	if (strcmp(how, "wait") == 0)
		until_the_end();
	return 0;
}
