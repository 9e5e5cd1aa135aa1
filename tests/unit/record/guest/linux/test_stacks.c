/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What shadow stacks put into the ring, as text: one letter an event, with its number. */
#include "tap.h"
#include <exectrace/record/guest/linux/interrupts.h>
#include <stdlib.h>

#define TASK 0xffffc90000010000ull /* the stacks of two tasks, and one of interrupts */
#define OTHER 0xffffc90000020000ull
#define IRQ 0xffff888000004000ull
#define USER 0x7ffffffe0000ull
#define ENTRY 0xfffffe0000003200ull /* end of the stack by which the CPU enters the kernel, and of another one */
#define APART 0xfffffe000000b000ull

struct world {
	struct stacks *stacks;
	struct ring ring[2];
	struct track track[2];
	uint64_t seen[2]; /* words of each ring */
	char text[400];
};

static void open_world(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->stacks = malloc(sizeof(*w->stacks));
	(void)stacks_init(w->stacks);
	for (unsigned i = 0; i < 2; i++) {
		(void)ring_init(&w->ring[i]);
		track_init(&w->track[i], w->stacks, &w->ring[i], i);
	}
}

static void close_world(struct world *w)
{
	stacks_release(w->stacks);
	free(w->stacks);
	ring_release(&w->ring[0]);
	ring_release(&w->ring[1]);
}

/* What the vCPU has told since the last time. */
static const char *told(struct world *w, unsigned cpu)
{
	static const char letters[] = "CRTIESM";
	struct ring *ring = &w->ring[cpu];
	size_t n = 0;

	w->text[0] = '\0';
	while (w->seen[cpu] < ring->at && n < sizeof(w->text) - 32) {
		uint64_t word = ring->words[w->seen[cpu]++ & (RING_WORDS - 1)];
		unsigned kind = data_packed_kind(word), number = data_packed_function(word);

		n += (size_t)snprintf(w->text + n, 32, "%s%c%u", n ? " " : "", letters[kind], number);
		for (unsigned i = 0; kind == RING_MORE && i < ring_more_words(number); i++)
			n += (size_t)snprintf(w->text + n, 32, ":%lu",
			                      (unsigned long)ring->words[w->seen[cpu]++ & (RING_WORDS - 1)]);
	}
	return w->text;
}

static void test_calls(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_enter(t, 1, TASK + 0x3000, 1);
	track_enter(t, 2, TASK + 0x2000, 2);
	track_return(t, 3, TASK + 0x2000);
	CHECK_STR(told(&w, 0), "S1 C1 C2 R0");
	track_enter(t, 4, TASK + 0x2800, 3);
	track_enter(t, 5, TASK + 0x2800, 4); /* a tail call */
	track_enter(t, 6, TASK + 0x2800, 4); /* a loop to its beginning */
	CHECK_STR(told(&w, 0), "C3 T4");
	track_return(t, 7, TASK + 0x2100); /* of nobody */
	CHECK_STR(told(&w, 0), "");
	track_enter(t, 8, TASK + 0x2000, 5);
	track_enter(t, 9, TASK + 0x1000, 6);
	track_return(t, 10, TASK + 0x2800); /* from far within */
	CHECK_STR(told(&w, 0), "C5 C6 R0 R0 R0");
	track_enter(t, 11, TASK + 0x2000, 7);
	track_call(t, 12, TASK + 0x2000, 8); /* the one before has gone */
	CHECK_STR(told(&w, 0), "C7 R0 C8");
	CHECK_INT((long long)t->counts.calls, 7);
	CHECK_INT((long long)t->counts.returns, 2);
	CHECK_INT((long long)t->counts.unwound, 3);
	CHECK_INT((long long)t->counts.strays, 1);
	CHECK_INT((long long)t->counts.tails, 1);
	close_world(&w);
}

static void test_switches(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_enter(t, 1, TASK + 0x3000, 1);
	track_call(t, 2, USER - 0x100, 2); /* this task's program */
	track_enter(t, 3, OTHER + 0x3000, 3);
	track_call(t, 4, USER - 0x100, 4); /* another one's, at the same address */
	CHECK_STR(told(&w, 0), "S1 C1 M6:2:1 S2 C2 S3 C3 M6:4:3 S4 C4");
	track_return(t, 5, TASK + 0x3000);
	track_return(t, 6, USER - 0x100);
	CHECK_STR(told(&w, 0), "S1 R0 S2 R0");
	track_return(t, 7, OTHER + 0x3000);
	track_return(t, 8, USER - 0x100);
	CHECK_STR(told(&w, 0), "S3 R0 S4 R0");
	CHECK_INT((long long)t->counts.unwound + (long long)t->counts.strays, 0);
	CHECK_INT(w.stacks->n, 4);
	close_world(&w);
}

/* A task has ended in the middle of its calls, as all do, and a new one gets its stack: the calls end before that. */
static void test_given_away(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_enter(t, 1, OTHER + 0x3000, 1);
	track_call(t, 2, USER - 0x100, 2);
	track_enter(t, 3, OTHER + 0x2f00, 3);
	track_enter(&w.track[1], 4, TASK + 0x3000, 4);
	CHECK_STR(told(&w, 0), "S1 C1 M6:2:1 S2 C2 S1 C3");
	CHECK_STR(told(&w, 1), "S3 C4");
	t = &w.track[1];
	track_bury(t, 5, TASK + 0x100); /* it is in use */
	track_bury(t, 5, TASK + 0x10000 + 0x8000);
	CHECK_STR(told(&w, 1), "");
	track_bury(t, 6, OTHER + 0x100);
	CHECK_STR(told(&w, 1), "M2:0:9 S1 R0 R0 S3 M2:0:9 S2 R0 S3");
	track_enter(t, 7, TASK + 0x2000, 5);
	track_return(t, 8, TASK + 0x2000);
	track_enter(t, 9, OTHER + 0x2e00, 6); /* it has begun further in than the other one was */
	CHECK_STR(told(&w, 1), "C5 R0 S1 C6");
	CHECK_INT((long long)t->counts.unwound, 3);
	close_world(&w);
}

/* A program is executed: where its stack begins is another place, further out or in, and nothing was called there. */
static void test_exec(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_enter(t, 1, TASK + 0x3000, 1);
	track_call(t, 2, USER - 0x100, 2);
	track_call(t, 3, USER - 0x200, 3);
	track_enter(t, 4, TASK + 0x2f00, 4);
	(void)told(&w, 0);
	track_exec(t, 5);
	CHECK_STR(told(&w, 0), "S2 R0 R0 S1");
	track_exec(t, 6);
	CHECK_STR(told(&w, 0), "");
	track_return(t, 7, TASK + 0x2f00);
	track_call(t, 8, USER - 0x1000, 5);
	track_return(t, 9, USER - 0x1000);
	CHECK_STR(told(&w, 0), "R0 S2 C5 R0");
	CHECK_INT((long long)t->counts.unwound, 2);
	close_world(&w);
}

/* A child returns through the calls that its parent had open. */
static void test_fork(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_enter(t, 1, TASK + 0x3000, 1);
	track_call(t, 2, USER - 0x100, 2);
	track_call(t, 3, USER - 0x200, 3);
	track_enter(t, 4, TASK + 0x2f00, 4);
	(void)stacks_at(w.stacks, OTHER + 0x100);
	(void)told(&w, 0);
	track_fork(t, 5, OTHER + 0x100);
	CHECK_STR(told(&w, 0), "M6:4:3 S4 C2 C3 S1");
	track_return(t, 6, TASK + 0x2f00);
	track_return(t, 7, USER - 0x200);
	CHECK_STR(told(&w, 0), "R0 S2 R0");
	t = &w.track[1];
	track_enter(t, 8, OTHER + 0x3000, 5);
	track_return(t, 9, OTHER + 0x3000);
	track_return(t, 10, USER - 0x200);
	track_return(t, 11, USER - 0x100);
	CHECK_STR(told(&w, 1), "S3 C5 R0 M2:0:20 S4 R0 R0");
	CHECK_INT((long long)w.track[0].counts.calls, 6);
	CHECK_INT((long long)t->counts.returns, 3);
	CHECK_INT((long long)t->counts.strays, 0);
	close_world(&w);
}

/* A program that calls nothing goes on where the kernel has returned to it. */
static void test_resume(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	t->programs = true;
	track_enter(t, 1, TASK + 0x3f00, 1);
	track_return(t, 2, TASK + 0x3f00); /* no program is known yet */
	track_call(t, 3, USER - 0x100, 2);
	(void)told(&w, 0);
	track_enter(t, 4, TASK + 0x3f00, 3);
	track_enter(t, 5, TASK + 0x3e00, 4);
	CHECK(track_return_quick(t, 6, TASK + 0x3e00));  /* within the kernel */
	CHECK(!track_return_quick(t, 7, TASK + 0x3f00)); /* the last one is none of the many */
	CHECK(!track_return(t, 7, TASK + 0x3f00));       /* no system call */
	CHECK_STR(told(&w, 0), "S1 C3 C4 R0 R0 S2");
	track_interrupt(t, 8, TASK + 0x4000 - 0x30, 5, false);
	track_iret(t, 9, TASK + 0x4000 - 0x28);
	CHECK_STR(told(&w, 0), "S1 I5 E0 S2");
	track_enter(t, 10, TASK + 0x3f00, 6);
	t->stack->call.slot = TASK + 0x3f00;
	CHECK(track_return(t, 11, TASK + 0x3f00)); /* a system call */
	CHECK_STR(told(&w, 0), "S1 C6 R0");        /* it is to be told first */
	track_resume(t, 12);
	track_resume(t, 13);
	track_return(t, 14, USER - 0x100);
	CHECK_STR(told(&w, 0), "S2 R0");
	close_world(&w);
}

/* Nothing to copy: no program, or one that called nothing. */
static void test_fork_of_nothing(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_fork(t, 1, OTHER);
	track_enter(t, 2, TASK + 0x3000, 1);
	(void)told(&w, 0);
	track_fork(t, 3, OTHER);
	track_call(t, 4, USER - 0x100, 2);
	track_return(t, 5, USER - 0x100);
	track_enter(t, 6, TASK + 0x3000, 1);
	(void)told(&w, 0);
	track_fork(t, 7, OTHER);
	CHECK_STR(told(&w, 0), "");
	close_world(&w);
}

static void test_interrupts(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_enter(t, 1, TASK + 0x3000, 1);
	track_interrupt(t, 2, TASK + 0x2f00, 2, false);
	track_enter(t, 3, IRQ + 0x3ff0, 3);
	track_return(t, 4, IRQ + 0x3ff0);
	track_iret(t, 5, TASK + 0x2f00);
	CHECK_STR(told(&w, 0), "S1 C1 I2 S2 C3 R0 S1 E0");
	track_interrupt(t, 6, TASK + 0x2ef8, 4, false); /* with an error code */
	track_enter(t, 7, TASK + 0x2e00, 5);
	track_iret(t, 8, TASK + 0x2f00); /* the function did not return */
	CHECK_STR(told(&w, 0), "I4 C5 R0 E0");
	track_iret(t, 9, TASK + 0x2f00);    /* nothing is open there */
	track_return(t, 10, TASK + 0x2f00); /* nor there */
	track_interrupt(t, 11, TASK + 0x2e00, 6, false);
	track_return(t, 12, TASK + 0x2e00); /* no ret leaves an interrupt */
	CHECK_STR(told(&w, 0), "I6");
	track_return(t, 13, TASK + 0x3000);
	CHECK_STR(told(&w, 0), "E0 R0");
	CHECK_INT((long long)t->counts.irets, 2);
	close_world(&w);
}

/* A program is interrupted: that is on the stack of its task, wherever it begins and ends. */
static void test_of_programs(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_enter(t, 1, TASK + 0x3000, 1);
	track_return(t, 1, TASK + 0x3000);
	CHECK_STR(told(&w, 0), "S1 C1 R0");
	track_interrupt(t, 2, ENTRY - 48, 2, false); /* with an error code */
	track_enter(t, 3, ENTRY - 176, 3);           /* before the kernel changes to the stack of the task */
	CHECK(track_has(t, ENTRY - 176) && track_is_open(t, ENTRY - 176));
	track_return(t, 4, ENTRY - 176);
	track_enter(t, 5, TASK + 0x4000 - 176, 4);
	track_return(t, 6, TASK + 0x4000 - 176);
	track_iret(t, 7, ENTRY - 40); /* with page table isolation */
	CHECK_STR(told(&w, 0), "I2 C3 R0 C4 R0 E0");
	track_iret(t, 8, ENTRY - 40); /* of a system call */
	track_iret(t, 8, TASK + 0x4000 - 40);
	CHECK_STR(told(&w, 0), "");
	for (unsigned padding = 0; padding <= 16; padding += 16) {
		track_interrupt(t, 9 + padding, ENTRY - 40, 2, false);
		track_enter(t, 10 + padding, TASK + 0x4000 - 176 - padding, 3);
		track_iret(t, 11 + padding, TASK + 0x4000 - 40 - padding); /* without; the function did not return */
		CHECK_STR(told(&w, 0), "I2 C3 R0 E0");
	}
	/* The kernel is interrupted in it, and by an exception in its last instructions. */
	track_interrupt(t, 32, ENTRY - 40, 2, false);
	track_interrupt(t, 33, TASK + 0x3e00, 3, false);
	track_iret(t, 34, TASK + 0x3e00);
	track_interrupt(t, 35, ENTRY - 96, 4, false);
	track_iret(t, 36, ENTRY - 88);
	track_iret(t, 37, ENTRY - 40);
	CHECK_STR(told(&w, 0), "I2 I3 E0 I4 E0 E0");
	CHECK_INT((long long)t->counts.irets, 6);
	CHECK_INT((long long)t->counts.interrupts, 6);
	CHECK_INT((long long)t->counts.strays, 0);
	close_world(&w);
}

/* While it waits, another task's program is interrupted, and goes on first. */
static void test_other_tasks(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_enter(t, 1, TASK + 0x3000, 1);
	track_return(t, 1, TASK + 0x3000);
	track_interrupt(t, 2, ENTRY - 40, 2, false);
	track_enter(t, 3, TASK + 0x3f00, 3);
	track_enter(t, 4, OTHER + 0x3f00, 4); /* a switch of tasks */
	track_return(t, 5, OTHER + 0x3f00);
	track_iret(t, 6, OTHER + 0x4000 - 40); /* from a system call */
	CHECK_STR(told(&w, 0), "S1 C1 R0 I2 C3 S2 C4 R0");
	track_interrupt(t, 7, ENTRY - 40, 5, false);
	track_enter(t, 8, OTHER + 0x3f00, 6);
	track_enter(t, 8, TASK + 0x3e00, 7);
	track_return(t, 9, TASK + 0x3e00);
	track_return(t, 9, TASK + 0x3f00);
	track_iret(t, 10, ENTRY - 40);
	CHECK_STR(told(&w, 0), "I5 C6 S1 C7 R0 R0 E0");
	track_return(t, 11, OTHER + 0x3f00);
	track_iret(t, 12, ENTRY - 40);
	CHECK_STR(told(&w, 0), "S2 R0 E0");
	CHECK_INT((long long)t->counts.irets, 2);
	CHECK_INT((long long)t->counts.unwound, 0);
	close_world(&w);
}

/* What a program calls after an interrupt is on its stack, as before. */
static void test_programs(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_enter(t, 1, TASK + 0x3000, 1);
	track_return(t, 2, TASK + 0x3000);
	track_call(t, 3, USER - 0x100, 2);
	CHECK_STR(told(&w, 0), "S1 C1 R0 M6:2:1 S2 C2");
	track_interrupt(t, 4, ENTRY - 40, 3, false);
	track_enter(t, 5, TASK + 0x3f00, 4);
	track_return(t, 6, TASK + 0x3f00);
	track_iret(t, 7, ENTRY - 40);
	CHECK_STR(told(&w, 0), "S1 I3 C4 R0 E0");
	track_call(t, 8, USER - 0x200, 5);
	track_return(t, 9, USER - 0x200);
	CHECK_STR(told(&w, 0), "S2 C5 R0");
	/* With a list, on which nothing is that the kernel calls then. */
	track_interrupt(t, 12, ENTRY - 40, 3, false);
	track_iret(t, 13, TASK + 0x4000 - 40);
	track_call(t, 14, USER - 0x200, 5);
	CHECK_STR(told(&w, 0), "S1 I3 E0 S2 C5");
	/* Only something that runs on a stack of interrupts, which is no task's. */
	stacks_find(w.stacks, TASK >> STACKS_SHIFT)->named = true;
	track_interrupt(t, 15, ENTRY - 40, 3, false);
	track_enter(t, 16, IRQ + 0x3ff0, 6);
	track_return(t, 17, IRQ + 0x3ff0);
	track_iret(t, 18, ENTRY - 40);
	track_return(t, 19, USER - 0x200);
	CHECK_STR(told(&w, 0), "S1 I3 S3 C6 R0 S1 E0 S2 R0");
	/* An exception that has a stack of its own. */
	track_interrupt(t, 20, APART - 40, 7, true);
	track_enter(t, 21, APART - 0x100, 8);
	track_return(t, 22, APART - 0x100);
	track_iret(t, 23, APART - 40);
	track_return(t, 24, USER - 0x100);
	CHECK_STR(told(&w, 0), "S4 I7 C8 R0 E0 S2 R0");
	/* And another task goes on. */
	track_call(t, 25, USER - 0x100, 2);
	track_interrupt(t, 27, ENTRY - 40, 3, false);
	track_touch(t, 28, OTHER + 0x3f00);
	track_iret(t, 29, OTHER + 0x4000 - 40); /* from a system call */
	track_call(t, 30, USER - 0x200, 5);
	CHECK_STR(told(&w, 0), "C2 S1 I3 S5 M6:6:5 S6 C5");
	CHECK_INT((long long)t->counts.strays, 0);
	close_world(&w);
}

/* The machine begins again: neither the task nor where that stack is is known any more. */
static void test_again(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_enter(t, 1, TASK + 0x3000, 1);
	track_interrupt(t, 2, ENTRY - 40, 2, false);
	CHECK_STR(told(&w, 0), "S1 C1 R0 I2");
	track_end(t, 3, stacks_find(w.stacks, TASK >> STACKS_SHIFT));
	track_again(t);
	track_interrupt(t, 4, ENTRY - 40, 3, false);
	track_iret(t, 5, ENTRY - 40);
	CHECK_STR(told(&w, 0), "S1 E0 S2 I3 E0");
	close_world(&w);
}

/* Where a function that is jumped to begins. */
static void test_slots(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	CHECK(track_slot(t, TASK) == 0);
	track_enter(t, 1, TASK + 0x3000, 1);
	track_enter(t, 2, TASK + 0x2000, 2);
	CHECK(track_slot(t, TASK) == TASK + 0x2000);
	track_return(t, 3, TASK + 0x2000);
	CHECK(track_slot(t, TASK) == TASK + 0x3000);
	track_interrupt(t, 4, TASK + 0x2800, 3, false); /* nothing jumps out of it */
	CHECK(track_slot(t, TASK) == 0);
	track_iret(t, 5, TASK + 0x2800);
	CHECK(track_slot(t, TASK) == TASK + 0x3000);
	track_return(t, 5, TASK + 0x3000);
	CHECK(track_slot(t, TASK + 0x3000) == TASK + 0x3000);
	CHECK(track_slot(t, OTHER) == 0);
	track_enter(t, 5, TASK + 0x3000, 5);
	track_enter(t, 5, IRQ + 0x3ff0, 6);
	track_return(t, 5, IRQ + 0x3ff0); /* it has gone back to what was stopped */
	CHECK(track_slot(t, IRQ + 0x3ff0) == TASK + 0x3000);
	track_return(t, 5, TASK + 0x3000);
	track_call(t, 6, USER - 0x100, 4); /* a program is not the kernel */
	CHECK(track_slot(t, TASK) == 0);
	close_world(&w);
}

/* With a list of functions: stacks that are only used, calls that are left by a jump, returns that end nothing. */
static void test_lists(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	track_touch(t, 1, TASK + 0x3000);
	track_touch(t, 2, TASK + 0x2000);
	CHECK_STR(told(&w, 0), "S1");
	CHECK(!track_has(t, TASK + 0x2000));
	track_enter(t, 3, TASK + 0x2000, 1);
	CHECK(track_has(t, TASK + 0x2000) && track_has(t, TASK + 0x1000) && !track_has(t, TASK + 0x2008));
	CHECK(!track_has(t, OTHER + 0x1000));
	track_leave(t, 4, TASK + 0x1f00, 2, 9); /* another function */
	track_leave(t, 5, TASK + 0x2008, 1, 9); /* further out */
	CHECK_STR(told(&w, 0), "C1");
	track_leave(t, 6, TASK + 0x1f00, 1, 9);
	track_enter(t, 7, TASK + 0x2000, 3);
	CHECK_STR(told(&w, 0), "T9 T3");
	/* A system call whose function is on no list ends too. */
	t->stack->call.slot = TASK + 0x3000;
	CHECK(track_has(t, TASK + 0x3000));
	CHECK(track_return(t, 8, TASK + 0x3000));
	CHECK_STR(told(&w, 0), "");
	/* Also where something else was told in between. */
	track_enter(t, 9, IRQ + 0x3000, 4);
	track_return(t, 9, IRQ + 0x3000);
	CHECK(track_return(t, 10, TASK + 0x3000) && t->stack->call.slot == TASK + 0x3000);
	CHECK_STR(told(&w, 0), "S2 C4 R0 S1");
	close_world(&w);
}

/* A task moves to another vCPU: what the first has told of it comes first. */
static void test_vcpus(void)
{
	struct world w;

	open_world(&w);
	track_enter(&w.track[0], 1, TASK + 0x3000, 1);
	track_enter(&w.track[1], 1, OTHER + 0x3000, 2);
	CHECK_STR(told(&w, 0), "S1 C1");
	track_enter(&w.track[0], 2, IRQ + 0x3000, 3);
	track_return(&w.track[1], 9, TASK + 0x3000);
	CHECK_STR(told(&w, 1), "S2 C2 M2:0:4 S1 R0");
	CHECK_STR(told(&w, 0), "S3 C3");
	track_enter(&w.track[1], 10, TASK + 0x3000, 4);
	track_enter(&w.track[0], 11, TASK + 0x2000, 5); /* and back */
	CHECK_STR(told(&w, 0), "M2:1:8 S1 C5");
	close_world(&w);
}

static void test_limits(void)
{
	struct world w;
	struct track *t = &w.track[0];

	open_world(&w);
	for (uint64_t i = 0; i < STACKS_DEPTH_MAX + 10; i++) {
		track_call(t, i, USER - i * 8, 1);
		(void)told(&w, 0);
		atomic_store(&w.ring[0].tail, w.ring[0].at);
	}
	CHECK_INT((long long)t->counts.too_deep, 10);
	for (uint64_t i = 0; i < STACKS_MAX + 10; i++) {
		track_call(t, i, TASK + i * 0x4000, 1);
		atomic_store(&w.ring[0].tail, w.ring[0].at);
	}
	CHECK_INT(w.stacks->n, STACKS_MAX);
	close_world(&w);
}

static void test_clock(void)
{
	struct world w;
	uint64_t big = 1ull << 40;

	open_world(&w);
	track_enter(&w.track[0], big, TASK, 1);
	CHECK_STR(told(&w, 0), "M0:1099511627776 S1 C1");
	CHECK_INT((long long)w.ring[0].clock, (long long)big);
	close_world(&w);
}

int main(void)
{
	test_calls();
	test_switches();
	test_given_away();
	test_exec();
	test_fork();
	test_resume();
	test_fork_of_nothing();
	test_interrupts();
	test_of_programs();
	test_other_tasks();
	test_programs();
	test_again();
	test_slots();
	test_vcpus();
	test_lists();
	test_limits();
	test_clock();
	return TAP_DONE();
}
