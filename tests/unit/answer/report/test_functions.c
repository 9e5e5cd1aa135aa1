/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What functions took: small recordings with sums made by hand, and one of noise against a count that knows no stacks
 * of times, only who runs at each moment. What KFT's kd is known to do wrong has a test each.
 */
#include <exectrace/answer/report/functions.h>

#include "guest_sample.h"

/* A table of a recording given as text. */
struct world {
	struct guest guest;
	struct replay *replay;
	struct report_functions *functions;
	const struct functions_row *const *rows;
	size_t n;
};

static bool count(struct world *w, const struct functions_options *options, const struct replay_options *how)
{
	static const struct replay_options plain;
	struct buf why = BUF_INIT;
	bool good = guest_open_recording(&w->guest) &&
	            CHECK_INT(replay_new(&w->replay, w->guest.recording, 0, how ? how : &plain, &why), 0);

	w->functions = good ? functions_new(w->replay, options) : NULL;
	good = good && CHECK_INT(functions_count(w->functions), 0) &&
	       CHECK_INT(functions_rows(w->functions, FUNCTIONS_SORT_TIME, &w->rows, &w->n), 0);
	buf_release(&why);
	return good;
}

static bool make(struct world *w, const char *text, const struct functions_options *options)
{
	*w = (struct world){0};
	if (!guest_begin(&w->guest, DATA_CLOCK_INSTRUCTIONS, 0))
		return false;
	guest_add(&w->guest, text);
	return count(w, options, NULL);
}

static void done(struct world *w)
{
	functions_free(w->functions);
	replay_free(w->replay);
	guest_end(&w->guest);
}

static const struct functions_row *row(const struct world *w, const char *name)
{
	static const struct functions_row none = {.name = "none"};

	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->rows[i]->name, name) == 0)
			return w->rows[i];
	return &none;
}

/* "count time self inner", as one text. */
static const char *sums(const struct world *w, const char *name)
{
	static char text[4][100];
	static unsigned next;
	const struct functions_row *r = row(w, name);
	char *to = text[next++ % 4];

	snprintf(to, sizeof(text[0]), "%llu %llu %llu %llu", (unsigned long long)r->count, (unsigned long long)r->time,
	         (unsigned long long)r->self, (unsigned long long)r->inner);
	return to;
}

/* --- kd's faults ----------------------------------------------------------------------------------------------------
 */

/* "KFT and kd do not account for scheduling jumps": schedule took 5.17 s of a trace of 1.64 s. */
static void test_schedule(void)
{
	static const struct functions_options all;
	struct world w;

	/* a calls s; while s does not run, stack 2 does, and its own s is left later. */
	if (make(&w, "S1/0@0 Ca@0 Cs@10 S2/0@20 Cb@20 Cs@70 S1/0@80 R@90 R@100 S2/0@100 R@110 R@150 Y0:0@150", &all)) {
		CHECK_STR(sums(&w, "s"), "2 40 40 0");
		CHECK_STR(sums(&w, "a"), "1 40 20 20");
		CHECK_STR(sums(&w, "b"), "1 110 90 20");
		CHECK_INT(functions_total(w.functions), 150);
		CHECK_INT(row(&w, "s")->each.max, 20);
	}
	done(&w);
}

/* An interrupt is neither in the time nor in the own time of what it interrupts; nor one within it. */
static void test_interrupt(void)
{
	static const char text[] = "S1/0@0 Ca@0 Cb@10 Ii@20 Cj@25 Ik@30 X@37 R@40 X@50 R@60 R@70";
	struct world w;

	if (make(&w, text, &(struct functions_options){0})) {
		CHECK_STR(sums(&w, "b"), "1 20 20 0");
		CHECK_STR(sums(&w, "a"), "1 40 20 20");
		CHECK_STR(sums(&w, "i"), "1 23 15 8");
		CHECK_STR(sums(&w, "j"), "1 8 8 0");
		CHECK_STR(sums(&w, "k"), "1 7 7 0");
		CHECK_INT(functions_total(w.functions), 70);
	}
	done(&w);
	if (make(&w, text, &(struct functions_options){.irq = FUNCTIONS_IRQ_NO})) {
		CHECK_STR(sums(&w, "[interrupts]"), "2 30 30 0");
		CHECK_STR(sums(&w, "b"), "1 20 20 0");
		CHECK_STR(row(&w, "i")->name, "none");
		CHECK_INT(functions_total(w.functions), 70);
	}
	done(&w);
	if (make(&w, text, &(struct functions_options){.irq = FUNCTIONS_IRQ_ONLY})) {
		CHECK_STR(row(&w, "a")->name, "none");
		CHECK_INT(functions_total(w.functions), 30);
	}
	done(&w);
}

/* "Local times can be way off with filters": what is filtered away is in a row of its own, not with its caller. */
static void test_filtered(void)
{
	static const char text[] = "S1/0@0 Ca@0 Cb@10 Cc@12 R@14 R@30 Cb@40 R@45 R@100";
	struct world w;

	if (make(&w, text, &(struct functions_options){.min = 10})) {
		CHECK_STR(sums(&w, "a"), "1 100 75 25");
		CHECK_STR(sums(&w, "b"), "1 20 18 2");
		CHECK_STR(sums(&w, "[filtered]"), "2 7 7 0");
		CHECK_INT(functions_filtered(w.functions), 2);
		CHECK_INT(functions_total(w.functions), 100);
	}
	done(&w);
	/* The caller is filtered away, what it calls is not. */
	if (make(&w, text, &(struct functions_options){.max = 20})) {
		CHECK_STR(row(&w, "a")->name, "none");
		CHECK_STR(sums(&w, "b"), "2 25 23 2");
		CHECK_STR(sums(&w, "[filtered]"), "1 75 75 0");
		CHECK_INT(functions_total(w.functions), 100);
	}
	done(&w);
}

/* The same asked of the triggers and filters, as exact; also where no call that stays is around what is left out. */
static bool make_gated(struct world *w, const char *text, const struct replay_options *how)
{
	*w = (struct world){0};
	if (!guest_begin(&w->guest, DATA_CLOCK_CYCLES, 1000000000))
		return false;
	guest_add(&w->guest, text);
	return count(w, &(struct functions_options){0}, how);
}

static void test_gated(void)
{
	static const char text[] = "S1/0@1 Ca@10 R@14 Ca@20 Cb@22 R@40 R@43 Cc@50 R@55 Y0:0@100";
	const struct control_config shortest = {.min_time = 10}, longest = {.max_time = 20};
	struct world w;

	if (make_gated(&w, text, &(struct replay_options){.control = &shortest})) {
		CHECK_STR(sums(&w, "a"), "1 23 5 18");
		CHECK_STR(sums(&w, "b"), "1 18 18 0");
		CHECK_STR(sums(&w, "[filtered]"), "2 9 9 0");
		CHECK_STR(sums(&w, "[no function]"), "0 67 67 0");
		CHECK_INT(functions_total(w.functions), 99);
	}
	done(&w);
	/* Half of what is left out is before the time that is wanted. */
	if (make_gated(&w, text,
	               &(struct replay_options){.control = &shortest, .timed = true, .from = 12, .until = 25})) {
		CHECK_STR(sums(&w, "a"), "1 5 2 3");
		CHECK_STR(sums(&w, "[filtered]"), "1 2 2 0");
		CHECK_STR(sums(&w, "[no function]"), "0 6 6 0");
	}
	done(&w);
	if (make_gated(&w, text,
	               &(struct replay_options){.control = &shortest, .timed = true, .from = 45, .until = 52})) {
		CHECK_STR(sums(&w, "[filtered]"), "1 2 2 0");
		CHECK_STR(sums(&w, "[no function]"), "0 5 5 0");
	}
	done(&w);
	/* The last ones are open at the end. */
	if (make_gated(&w, "S1/0@1 Ca@10 Cb@20 R@30 Cb@40 R@45 R@60 Ca@70 Cb@80 Y0:0@101",
	               &(struct replay_options){.control = &longest})) {
		CHECK_STR(sums(&w, "b"), "2 15 15 0");
		CHECK_STR(sums(&w, "[filtered]"), "2 66 66 0");
		CHECK_STR(sums(&w, "[no function]"), "0 19 19 0");
		CHECK_INT(functions_total(w.functions), 100);
	}
	done(&w);
	/* On two stacks, while a call on the first one is not decided. */
	if (make_gated(&w, "S1/0@1 Ca@5 S2/0@10 Cb@11 R@12 Cb@13 R@14 S1/0@20 R@30",
	               &(struct replay_options){.control = &shortest})) {
		CHECK_STR(sums(&w, "a"), "1 15 15 0");
		CHECK_STR(sums(&w, "[filtered]"), "1 2 2 0");
		CHECK_STR(sums(&w, "[no function]"), "0 12 12 0");
	}
	done(&w);
}

/* A call without an end was summed up as -1. */
static void test_endless(void)
{
	struct world w;

	if (make(&w, "S1/0@0 Ca@0 Cb@10 U@30 Cb@30 R@40 Cc@50 Y0:0@100", &(struct functions_options){0})) {
		CHECK_STR(sums(&w, "b"), "2 30 30 0");
		CHECK_INT(row(&w, "b")->endless, 1);
		CHECK_INT(row(&w, "b")->each.count, 1);
		CHECK_INT(row(&w, "b")->each.max, 10);
		CHECK_STR(sums(&w, "a"), "1 100 20 80");
		CHECK_STR(sums(&w, "c"), "1 50 50 0");
		CHECK_INT(row(&w, "a")->endless, 1);
		CHECK_INT(row(&w, "c")->endless, 1);
	}
	done(&w);
}

/* The callee that took the most did so in all of the trace, not under this caller. */
static void test_callees(void)
{
	struct world w;

	if (make(&w, "S1/0@0 Ca@0 Cb@0 R@5 Cc@5 R@15 R@20 Cd@20 Cb@20 R@90 R@100",
	         &(struct functions_options){.callees = true})) {
		const struct functions_row *a = row(&w, "a");

		CHECK_INT(a->n_callees, 2);
		CHECK_STR(a->callees[0].name, "c");
		CHECK_INT(a->callees[0].time, 10);
		CHECK_STR(a->callees[1].name, "b");
		CHECK_INT(a->callees[1].count, 1);
		CHECK_STR(row(&w, "d")->callees[0].name, "b");
		CHECK_INT(row(&w, "d")->callees[0].time, 70);
	}
	done(&w);
}

/* Functions of the same name were one; the Local of what they call became negative. */
static void test_same_name(void)
{
	struct data_event event = {.type = DATA_FUNCTION, .function = {.id = 100, .address = 0x1, .name = {"a", 1}}};
	struct world w = {0};
	uint64_t selves = 0, counts = 0;

	if (guest_begin(&w.guest, DATA_CLOCK_INSTRUCTIONS, 0)) {
		CHECK_INT(data_writer_event(w.guest.writer, &event), 0);
		guest_add(&w.guest, "S1/0@0 Ca@0");
		CHECK_INT(data_writer_call(w.guest.writer, 10, 100), 0);
		guest_add(&w.guest, "R@30 R@40");
		CHECK(count(&w, &(struct functions_options){0}, NULL));
		for (size_t i = 0; i < w.n; i++)
			if (strcmp(w.rows[i]->name, "a") == 0) {
				selves += w.rows[i]->self;
				counts++;
				CHECK_INT(w.rows[i]->count, 1);
				CHECK_INT(w.rows[i]->self, 20);
			}
		CHECK_INT(selves, 40);
		CHECK_INT(counts, 2);
	}
	done(&w);
}

/* "Local times can be way off with filters": what was left out is a row of its own, and never more than there was. */
static void test_left_out(void)
{
	struct world w;

	if (make(&w, "S1/0@0 Ca@0 Cb@10 R@20 L3:25@60 R@60 Ca@60 L1:1000@70 R@70 L9:9@70",
	         &(struct functions_options){0})) {
		CHECK_STR(sums(&w, "a"), "2 70 25 45");
		CHECK_STR(sums(&w, "b"), "1 10 10 0");
		CHECK_STR(sums(&w, "z"), "2 35 35 0");
	}
	done(&w);
}

/* --- More ----------------------------------------------------------------------------------------------------------
 */

/* A function that calls itself has been in it only once at any time. */
static void test_recursion(void)
{
	struct world w;

	if (make(&w, "S1/0@0 Ca@0 Cb@10 Ca@20 R@30 R@40 Ii@40 Ca@40 R@45 X@50 R@60", &(struct functions_options){0})) {
		CHECK_STR(sums(&w, "a"), "3 55 35 30");
		CHECK_STR(sums(&w, "b"), "1 30 20 10");
		CHECK_INT(functions_total(w.functions), 60);
	}
	done(&w);
}

static void test_tail(void)
{
	struct world w;

	if (make(&w, "S1/0@0 Ca@0 Cb@10 Tc@30 R@35 R@50 R@50 X@50", &(struct functions_options){0})) {
		CHECK_STR(sums(&w, "a"), "1 50 25 25");
		CHECK_STR(sums(&w, "b"), "1 20 20 0");
		CHECK_STR(sums(&w, "c"), "1 5 5 0");
	}
	done(&w);
}

/* A stack that goes on, on another CPU with a clock of its own. */
static void test_cpus(void)
{
	static const char text[] =
		"S1/0@100 Ca@100 S2/1@5000 Cb@5000 S1/0@110 Cc@110 R@120 S3/0@130 S2/1@5050 R@5060 S1/1@5060 Cd@5070 "
		"R@5080 R@5090 S3/0@200 Ce@210 R@220";
	struct world w;

	if (make(&w, text, &(struct functions_options){0})) {
		CHECK_STR(sums(&w, "a"), "1 60 40 20");
		CHECK_STR(sums(&w, "b"), "1 60 60 0");
		CHECK_STR(sums(&w, "d"), "1 10 10 0");
		CHECK_STR(sums(&w, "[no function]"), "0 80 80 0");
		CHECK_INT(functions_total(w.functions), 120 + 90);
		CHECK_INT(replay_cpu_time(w.replay), 120 + 90);
	}
	done(&w);
	if (make(&w, text, &(struct functions_options){.by = FUNCTIONS_BY_CPU})) {
		CHECK_INT(w.n, 2);
		CHECK_INT(w.rows[0]->time, 120);
		CHECK_INT(w.rows[1]->time, 90);
	}
	done(&w);
}

static void test_tasks(void)
{
	static const char text[] = "P1=33:sh@0 S1/0@0 Ca@0 P2=34:cat@10 S2/0@20 Ca@30 Ii@40 X@45 R@60 S1/0@60 R@70 "
				   "P1=33:ls@70 Cb@75 R@80";
	struct world w;

	if (make(&w, text, &(struct functions_options){.by = FUNCTIONS_BY_TASK})) {
		CHECK_STR(sums(&w, "sh"), "1 30 30 0");
		CHECK_STR(sums(&w, "cat"), "2 35 35 0");
		CHECK_STR(sums(&w, "ls"), "1 10 10 0");
		CHECK_STR(sums(&w, "[interrupts]"), "1 5 5 0");
		CHECK_INT(functions_total(w.functions), 80);
	}
	done(&w);
	if (make(&w, text, &(struct functions_options){.task = "c*"})) {
		CHECK_STR(sums(&w, "a"), "1 25 25 0");
		CHECK_INT(functions_total(w.functions), 40);
	}
	done(&w);
	if (make(&w, text, &(struct functions_options){.task = "33"})) {
		CHECK_STR(sums(&w, "a"), "1 30 30 0");
		CHECK_INT(functions_total(w.functions), 40);
	}
	done(&w);
}

/* A task that takes another name goes on with the calls that it has made: what they took before is the other's. */
static void test_renamed(void)
{
	static const char text[] =
		"P1=1:swapper@0 S1/0@0 Ca@0 Cb@10 Cc@15 R@20 Ii@25 P1=1:init@30 X@35 Cc@40 R@45 R@60 R@100";
	struct world w;

	if (make(&w, text, &(struct functions_options){.task = "init"})) {
		CHECK_STR(sums(&w, "a"), "1 65 40 25");
		CHECK_STR(sums(&w, "b"), "1 25 20 5");
		CHECK_STR(sums(&w, "c"), "1 5 5 0");
		CHECK_STR(sums(&w, "i"), "1 5 5 0");
		CHECK_INT(functions_total(w.functions), 70);
	}
	done(&w);
	if (make(&w, text, &(struct functions_options){.task = "*"}))
		CHECK_STR(sums(&w, "a"), "1 90 50 40");
	done(&w);
}

static void test_under(void)
{
	struct world w;

	if (make(&w, "S1/0@0 Ca@0 Cb@10 Cc@20 R@30 Ii@30 X@36 R@40 Cc@50 R@70 R@80",
	         &(struct functions_options){.under = "b"})) {
		CHECK_STR(sums(&w, "b"), "1 24 14 10");
		CHECK_STR(sums(&w, "c"), "1 10 10 0");
		CHECK_INT(w.n, 2);
		CHECK_INT(functions_total(w.functions), 24);
	}
	done(&w);
}

/* Only some of the time; and instructions as time of the host: 1 ns, then 3 ns each. */
static void test_time(void)
{
	static const struct functions_options all;
	static const struct replay_options some = {.host_time = true, .timed = true, .from = 50, .until = 250};
	struct world w = {0};

	if (guest_begin(&w.guest, DATA_CLOCK_INSTRUCTIONS, 0)) {
		guest_add(&w.guest,
		          "Y0:0@0 S1/0@0 Ca@0 Cc@10 R@20 Cb@40 R@60 Y0:100@100 Cb@100 R@110 Cb@190 R@195 R@200 "
		          "Y0:400@200");
		CHECK(count(&w, &all, &some));
		CHECK_STR(sums(&w, "a"), "1 200 160 40");
		CHECK_STR(sums(&w, "b"), "2 40 40 0");
		CHECK_STR(row(&w, "c")->name, "none");
		CHECK_INT(functions_total(w.functions), 200);
	}
	done(&w);
}

/* A CPU that was idle for 1000 ns, in b, counted nothing meanwhile; what follows the last moment goes on as before it.
 */
static void test_idle(void)
{
	static const struct functions_options all;
	static const struct replay_options host = {.host_time = true};
	struct world w = {0};

	if (guest_begin(&w.guest, DATA_CLOCK_INSTRUCTIONS, 0)) {
		guest_add(&w.guest,
		          "Y0:0@0 S1/0@0 Ca@0 Cb@10 Y0:20@20 Y0:300@20 Y0:1020@20 R@30 R@40 Y0:1050@50 Y0:1100@50 "
		          "Cc@60 R@90");
		CHECK(count(&w, &all, &host));
		CHECK_STR(sums(&w, "a"), "1 1040 20 1020");
		CHECK_STR(sums(&w, "b"), "1 1020 1020 0");
		CHECK_STR(sums(&w, "c"), "1 30 30 0");
		CHECK_INT(functions_total(w.functions), 1140);
	}
	done(&w);
	w = (struct world){0};
	if (guest_begin(&w.guest, DATA_CLOCK_INSTRUCTIONS, 0)) {
		struct buf why = BUF_INIT;

		guest_add(&w.guest, "Y0:0@10 S1/0@10 Y0:700@10 Ca@20 R@30");
		CHECK(guest_open_recording(&w.guest));
		CHECK(replay_new(&w.replay, w.guest.recording, 0, &host, &why) != 0);
		buf_release(&why);
	}
	done(&w);
}

/* --- Lists and interrupts ------------------------------------------------------------------------------------------
 */

/* A recording of which only some functions are asked for. */
static bool make_listed(struct world *w, const char *text, const char *list, enum functions_irq irq)
{
	struct control_config control = {0};
	struct buf why = BUF_INIT;
	bool good;

	*w = (struct world){0};
	CHECK_INT(control_add_list(&control.functions, list, &why), 0);
	good = guest_begin(&w->guest, DATA_CLOCK_INSTRUCTIONS, 0);
	if (good) {
		guest_add(&w->guest, text);
		good = count(w, &(struct functions_options){.irq = irq}, &(struct replay_options){.control = &control});
	}
	control_release(&control);
	buf_release(&why);
	return good;
}

/* Of interrupts those have rows in which something was called that was asked for; none is in the time of others. */
static void test_listed(void)
{
	/* i runs nothing of the list, j does; k interrupts that, and is nothing again. */
	static const char text[] =
		"S1/0@0 Ca@0 Cb@10 Ii@20 Cc@25 R@30 X@40 R@50 Ij@60 Cc@62 Cd@65 Ik@70 X@75 R@80 R@85 X@90 R@100";
	struct world w;

	if (make_listed(&w, text, "a,d", FUNCTIONS_IRQ_TOO)) {
		CHECK_STR(sums(&w, "a"), "1 50 30 20");
		CHECK_STR(sums(&w, "d"), "1 10 10 0");
		CHECK_STR(row(&w, "i")->name, "none");
		CHECK_STR(row(&w, "k")->name, "none");
		CHECK_STR(sums(&w, "j"), "1 25 7 18");
		CHECK_INT(functions_total(w.functions), 100);
	}
	done(&w);
	/* What was asked for stays, though an interrupt ran it. */
	if (make_listed(&w, text, "a,d", FUNCTIONS_IRQ_NO)) {
		CHECK_STR(sums(&w, "a"), "1 50 30 20");
		CHECK_STR(sums(&w, "d"), "1 10 10 0");
		CHECK_STR(row(&w, "j")->name, "none");
		CHECK_STR(sums(&w, "[interrupts]"), "3 40 40 0");
		CHECK_INT(functions_total(w.functions), 100);
	}
	done(&w);
	/* A list that has the interrupt too does not ask for what it runs. */
	if (make_listed(&w, text, "d,j", FUNCTIONS_IRQ_NO))
		CHECK_STR(row(&w, "d")->name, "none");
	done(&w);
}

/* Handlers may have a stack of their own. */
static void test_listed_stack(void)
{
	static const char text[] = "P1=5:t@0 S1/0@0 Ca@0 Ii@10 S2/0@15 P2=0:[irq]@15 Cd@20 R@30 S1/0@35 X@40 Ik@50 "
				   "S2/0@55 Cc@60 R@65 S1/0@70 X@75 R@80";
	struct world w;

	if (make_listed(&w, text, "a,d", FUNCTIONS_IRQ_TOO)) {
		CHECK_STR(sums(&w, "a"), "1 25 25 0");
		CHECK_STR(sums(&w, "d"), "1 10 10 0");
		CHECK_STR(sums(&w, "i"), "1 10 10 0");
		CHECK_STR(row(&w, "k")->name, "none");
		CHECK_INT(functions_total(w.functions), 80);
	}
	done(&w);
}

/* --- Noise ---------------------------------------------------------------------------------------------------------
 */

#define STACKS 6u
#define CPUS 3u
#define STEPS 200000

static uint64_t seed = 7;

static uint64_t noise(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 11) % below;
}

struct model {
	char open[STACKS][64]; /* 'a' to 'z' calls, 'A' to 'Z' interrupts */
	unsigned depth[STACKS];
	uint64_t clock[CPUS];
	unsigned on[CPUS]; /* stacks */
	uint64_t self[26], count[26], outside;
};

/* What runs has run. */
static void pass(struct model *m, unsigned cpu, uint64_t ticks)
{
	unsigned stack = m->on[cpu];

	m->clock[cpu] += ticks;
	if (m->depth[stack])
		m->self[(m->open[stack][m->depth[stack] - 1] | 0x20) - 'a'] += ticks;
	else
		m->outside += ticks;
}

static unsigned free_stack(const struct model *m)
{
	for (;;) {
		unsigned stack = (unsigned)noise(STACKS);
		bool used = false;

		for (unsigned i = 0; i < CPUS; i++)
			used |= m->on[i] == stack;
		if (!used)
			return stack;
	}
}

static void step(struct model *m, struct data_writer *w, unsigned cpu)
{
	unsigned *depth, what = (unsigned)noise(20);
	char letter = (char)('a' + noise(26));

	pass(m, cpu, noise(50));
	if (what == 0)
		m->on[cpu] = free_stack(m);
	(void)data_writer_switch(w, m->clock[cpu], m->on[cpu], cpu);
	depth = &m->depth[m->on[cpu]];
	if (what == 0)
		return;
	if (*depth && (what < 10 || *depth == 60)) {
		(*depth)--;
		if (m->open[m->on[cpu]][*depth] < 'a')
			(void)data_writer_irq_exit(w, m->clock[cpu]);
		else
			(void)data_writer_return(w, m->clock[cpu]);
		return;
	}
	m->count[letter - 'a']++;
	if (what == 10)
		(void)data_writer_irq_enter(w, m->clock[cpu], (uint64_t)(letter - 'a' + 1));
	else
		(void)data_writer_call(w, m->clock[cpu], (uint64_t)(letter - 'a' + 1));
	m->open[m->on[cpu]][(*depth)++] = what == 10 ? (char)(letter - 0x20) : letter;
}

static void test_noise(void)
{
	struct model m = {.on = {0, 1, 2}};
	struct world w = {0};
	bool same = true;

	if (!guest_begin(&w.guest, DATA_CLOCK_INSTRUCTIONS, 0))
		return;
	for (unsigned i = 0; i < CPUS; i++)
		(void)data_writer_switch(w.guest.writer, 0, i, i);
	for (unsigned i = 0; i < STEPS; i++)
		step(&m, w.guest.writer, (unsigned)noise(CPUS));
	CHECK(count(&w, &(struct functions_options){0}, NULL));
	for (char name[2] = "a"; *name <= 'z'; (*name)++) {
		const struct functions_row *r = row(&w, name);

		same &= r->self == m.self[*name - 'a'] && r->count == m.count[*name - 'a'] && r->time >= r->self;
	}
	CHECK(same);
	CHECK_INT(row(&w, "[no function]")->self, m.outside);
	CHECK_INT(functions_total(w.functions), m.clock[0] + m.clock[1] + m.clock[2]);
	done(&w);
}

/*
 * The same with a list, against a model that keeps all calls and knows at the end of an interrupt whether one of the
 * list's was in it: rows of interrupts are those, and all own times are as before.
 */
struct listed_model {
	struct {
		char letter;
		bool interrupt, has;
	} open[12];
	unsigned depth;
	enum functions_irq irq;
	uint64_t rows[26], self[26], clock;
	char text[20000], *to;
};

static void listed_leave(struct listed_model *m)
{
	const unsigned at = --m->depth;
	const bool interrupt = m->open[at].interrupt, told = m->open[at].has && m->irq == FUNCTIONS_IRQ_TOO;

	m->rows[m->open[at].letter - 'a'] += interrupt ? told : m->open[at].letter < 'd';
	m->to += sprintf(m->to, " %c@%llu", interrupt ? 'X' : 'R', (unsigned long long)m->clock);
}

static void listed_step(struct listed_model *m)
{
	const bool leave = m->depth && (m->depth == 12 || noise(2)), interrupt = noise(4) == 0;
	const uint64_t ticks = noise(9);
	/* Interrupts have letters of their own, none of the list. */
	const char letter = (char)(interrupt ? 'p' + noise(5) : 'a' + noise(8));

	m->clock += ticks;
	if (m->depth)
		m->self[m->open[m->depth - 1].letter - 'a'] += ticks;
	if (leave) {
		listed_leave(m);
		return;
	}
	for (unsigned k = 0; k < m->depth && letter < 'd'; k++)
		m->open[k].has = true;
	m->open[m->depth].letter = letter;
	m->open[m->depth].interrupt = interrupt;
	m->open[m->depth++].has = false;
	m->to += sprintf(m->to, " %c%c@%llu", interrupt ? 'I' : 'C', letter, (unsigned long long)m->clock);
}

static void noise_listed(uint64_t from, enum functions_irq irq)
{
	struct listed_model m = {.irq = irq, .text = "S1/0@0"};
	struct world w;

	m.to = m.text + strlen(m.text);
	seed = from;
	for (unsigned i = 0; i < 1000; i++)
		listed_step(&m);
	while (m.depth)
		listed_leave(&m);
	if (make_listed(&w, m.text, "a,b,c", irq)) {
		bool same = true;

		for (char name[2] = "a"; *name <= 'z'; (*name)++) {
			const struct functions_row *r = row(&w, name);

			same &= r->count == m.rows[*name - 'a'] && (*name > 'c' || r->self == m.self[*name - 'a']);
		}
		if (!CHECK(same))
			printf("# seed %llu, irq %d\n", (unsigned long long)from, (int)irq);
		CHECK_INT(functions_total(w.functions), m.clock);
	}
	done(&w);
}

static void test_noise_listed(void)
{
	for (uint64_t from = 1; from <= 40; from++) {
		noise_listed(from, FUNCTIONS_IRQ_TOO);
		noise_listed(from, FUNCTIONS_IRQ_NO);
	}
}

int main(void)
{
	test_schedule();
	test_interrupt();
	test_filtered();
	test_gated();
	test_endless();
	test_callees();
	test_same_name();
	test_left_out();
	test_recursion();
	test_tail();
	test_cpus();
	test_tasks();
	test_renamed();
	test_under();
	test_time();
	test_idle();
	test_noise();
	test_listed();
	test_listed_stack();
	test_noise_listed();
	return TAP_DONE();
}
