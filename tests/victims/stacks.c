/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks WHAT ROUNDS [SEED]: calls (getppid) on stacks of all kinds, which are unwound right only as they are at that
 * moment. deep: at changing depths, some of them deeper than is copied of a stack; coroutines: on small stacks beside
 * each other; handlers: on a signal's own stack, left by siglongjmp or by return; threads: deep, in four at once;
 * below: all at one depth that is too deep.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define FAR __attribute__((noinline, noclone))
/* What follows a call, so that it is none in tail position. */
#define AFTER __asm__ volatile("" ::: "memory")

#define COROUTINES 6
#define SMALL 4096u /* bytes of a coroutine's stack */
#define THREADS 4

static int rounds;
static uint32_t seed = 1;

static uint32_t draw(uint32_t *state, uint32_t below)
{
	*state = *state * 1103515245u + 12345u;
	return (*state >> 16) % below;
}

FAR static int even(unsigned depth);

/* Two functions in turn, so that frames differ. */
FAR static int odd(unsigned depth)
{
	volatile char room[200];
	int r;

	room[depth % sizeof(room)] = 1;
	r = depth ? even(depth - 1) : (int)getppid();
	AFTER;
	return r + room[depth % sizeof(room)];
}

FAR static int even(unsigned depth)
{
	volatile char room[600];
	int r;

	room[depth % sizeof(room)] = 1;
	r = depth ? odd(depth - 1) : (int)getppid();
	AFTER;
	return r + room[depth % sizeof(room)];
}

FAR static int below(unsigned depth)
{
	volatile char room[600];
	int r = 0;

	room[depth % sizeof(room)] = 1;
	if (depth)
		r = below(depth - 1);
	else
		while (rounds--)
			r += (int)getppid();
	AFTER;
	return r + room[depth % sizeof(room)];
}

FAR static void *deep(void *user)
{
	uint32_t state = seed + (uint32_t)(uintptr_t)user;

	for (int i = 0; i < rounds; i++) {
		odd(draw(&state, 3) ? draw(&state, 12) : draw(&state, 90));
		AFTER;
	}
	return NULL;
}

/* --- Coroutines --------------------------------------------------------------------------------------------------- */

static ucontext_t main_context, contexts[COROUTINES];

static void coroutine(void)
{
	for (;;) {
		uint32_t n = draw(&seed, COROUTINES), from = draw(&seed, COROUTINES);

		odd(draw(&seed, 3));
		if (rounds-- <= 0)
			setcontext(&main_context);
		for (uint32_t i = 0; i < COROUTINES; i++) /* whoever runs is saved where it is gone on with */
			if ((char *)&n >= (char *)contexts[i].uc_stack.ss_sp &&
			    (char *)&n < (char *)contexts[i].uc_stack.ss_sp + SMALL)
				from = i;
		if (n != from)
			swapcontext(&contexts[from], &contexts[n]);
	}
}

static int coroutines(void)
{
	char *stacks = mmap(NULL, COROUTINES * SMALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int begun = 0;

	if (stacks == MAP_FAILED)
		return 1;
	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack = (stack_t){.ss_sp = stacks + (size_t)i * SMALL, .ss_size = SMALL};
		makecontext(&contexts[i], coroutine, 0);
	}
	getcontext(&main_context);
	if (!begun++)
		setcontext(&contexts[0]);
	odd(1);
	return 0;
}

/* --- Handlers ----------------------------------------------------------------------------------------------------- */

static sigjmp_buf back;
static volatile int jumps;

static void handler(int sig)
{
	(void)sig;
	odd(draw(&seed, 5));
	if (jumps)
		siglongjmp(back, 1);
}

FAR static int raise_at(unsigned depth)
{
	volatile char room[100];
	int r;

	room[depth % sizeof(room)] = 1;
	r = depth ? raise_at(depth - 1) : raise(SIGUSR1);
	AFTER;
	return r + room[depth % sizeof(room)];
}

static int handlers(void)
{
	static char stack[64 * 1024];
	const stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};

	sigaltstack(&own, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < rounds; i++) {
		jumps = draw(&seed, 2) == 0;
		if (sigsetjmp(back, 1) == 0)
			raise_at(draw(&seed, 20));
		odd(2);
	}
	return 0;
}

static int threads(void)
{
	pthread_t ids[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&ids[i], NULL, deep, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	rounds = argc > 2 ? atoi(argv[2]) : 0;
	seed = argc > 3 ? (uint32_t)atoi(argv[3]) : 1;
	if (strcmp(what, "deep") == 0)
		return deep(NULL) != NULL;
	if (strcmp(what, "below") == 0)
		return below(60) < 0;
	if (strcmp(what, "coroutines") == 0)
		return coroutines();
	if (strcmp(what, "handlers") == 0)
		return handlers();
	return strcmp(what, "threads") == 0 ? threads() : 2;
}
