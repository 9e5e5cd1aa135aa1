/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes out of a gate, as text. In: words TIME KIND NUMBER, as "5C1"; out: the same with the clock of each. Kinds:
 * Call, Return, Tail, I(nterrupt), E(nd of one), U(nwind), S(witch), X (other); out also F(iltered: count, ticks),
 * O(pened), Z (closed).
 */
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/format/gate/gate.h>

static const char letters[] = "CRTIEUSXFOZ";

static int put(void *user, const struct gate_event *e)
{
	struct buf *out = user;

	buf_printf(out, "%s%lu%c", out->len ? " " : "", (unsigned long)e->clock, letters[e->kind]);
	if (e->kind == GATE_CALL || e->kind == GATE_TAIL || e->kind == GATE_IRQ_ENTER || e->kind == GATE_SWITCH)
		buf_printf(out, "%lu", (unsigned long)e->number);
	if (e->kind == GATE_FILTERED)
		buf_printf(out, "%lu:%lu", (unsigned long)e->number, (unsigned long)e->ticks);
	return 0;
}

/* S7@1 is a switch to stack 7 on CPU 1. */
static void feed(struct gate *g, const char *in)
{
	while (*in) {
		char kind = 0;
		unsigned long time = 0, number = 0;
		unsigned cpu = 0;
		struct gate_event e;
		int n = 0;

		if (sscanf(in, "%lu%c%n", &time, &kind, &n) != 2)
			break;
		in += n;
		n = 0;
		if (*in != ' ' && sscanf(in, "%lu%n", &number, &n) == 1)
			in += n;
		n = 0;
		if (*in == '@' && sscanf(in, "@%u%n", &cpu, &n) == 1)
			in += n;
		e = (struct gate_event){.kind = (enum gate_kind)(strchr(letters, kind) - letters),
		                        .number = number,
		                        .cpu = cpu,
		                        .clock = time,
		                        .time = time};
		CHECK_INT(gate_take(g, &e), 0);
		while (*in == ' ')
			in++;
	}
}

struct question {
	struct gate_rules rules;
	unsigned what[8]; /* of functions: flags plus 1 */
	const char *in, *out;
	bool end, outer;
};

static struct gate_counts ask(const struct question *q)
{
	cleanup_buf struct buf out = BUF_INIT;
	struct gate *g = gate_new(&q->rules, put, &out);
	struct gate_counts counts;

	for (unsigned i = 0; i < 8; i++) {
		if (q->what[i])
			CHECK_INT(gate_function(g, i, q->what[i] - 1), 0);
	}
	if (q->outer)
		gate_tell_unattributed(g);
	feed(g, q->in);
	if (q->end)
		CHECK_INT(gate_end(g), 0);
	CHECK_STR(out.len ? out.data : "", q->out);
	counts = gate_counts(g);
	gate_free(g);
	return counts;
}

#define ASK(...) ask(&(struct question){__VA_ARGS__})
#define START (CONTROL_WANTED | CONTROL_START)
#define STOP (CONTROL_WANTED | CONTROL_STOP)

static void test_all(void)
{
	struct gate_counts c;

	c = ASK(.in = "1S7 2C1 3I2 4C3 5R 6E 7T4 8X 9R 10R", .out = "1O 1S7 2C1 3I2 4C3 5R 6E 7T4 8X 9R");
	CHECK_INT((long long)c.entries, 4);
	CHECK_INT((long long)c.strays, 1);
	/* An interrupt ends what it has called; one that was not there ends nothing. */
	(void)ASK(.in = "1S7 2C1 3I2 4C3 5E 6E 7U", .out = "1O 1S7 2C1 3I2 4C3 5U 5E 7U");
}

static void test_start_entry(void)
{
	(void)ASK(.rules = {.start = CONTROL_ENTRY}, .what = {[2] = START + 1},
	          .in = "1S7 2C1 3C3 4R 5C2 6C3 7R 8R 9R 10C2", .out = "5O 5S7 5C1 5C2 6C3 7R 8R 9R 10C2");
}

static void test_start_exit(void)
{
	(void)ASK(.rules = {.start = CONTROL_EXIT}, .what = {[2] = START + 1}, .in = "1S7 2C1 3C2 4C3 5R 6R 7C3 8R 9R",
	          .out = "6O 6S7 7C1 7C3 8R 9R");
	/* A tail call is an exit too. */
	(void)ASK(.rules = {.start = CONTROL_EXIT}, .what = {[2] = START + 1}, .in = "1S7 3C2 4T3 5R",
	          .out = "4O 4S7 4C3 5R");
}

static void test_start_time(void)
{
	(void)ASK(.rules = {.start = CONTROL_TIME, .start_time = 5}, .in = "10S7 12C1 14C2 15C3 16R",
	          .out = "15O 15S7 15C1 15C2 15C3 16R");
}

static void test_stop_entry(void)
{
	/* What is open has no end; the entry that stops it is not within, and nothing comes after it. */
	(void)ASK(.rules = {.stop = CONTROL_ENTRY}, .what = {[3] = STOP + 1}, .in = "1S7 2C1 3C2 4C3 5R 6R 7C3 8X",
	          .out = "1O 1S7 2C1 3C2 4S7 4U 4U 4Z 8X");
}

static void test_stop_exit(void)
{
	(void)ASK(.rules = {.stop = CONTROL_EXIT}, .what = {[3] = STOP + 1}, .in = "1S7 2C1 4C3 5R 6C2 7R",
	          .out = "1O 1S7 2C1 4C3 5R 5S7 5U 5Z");
	(void)ASK(.rules = {.stop = CONTROL_EXIT}, .what = {[3] = STOP + 1}, .in = "1S7 2C1 4C3 5T4 7R",
	          .out = "1O 1S7 2C1 4C3 5R 5S7 5U 5Z");
}

static void test_stop_time(void)
{
	/* Since the start, not since the first event. */
	(void)ASK(.rules = {.start = CONTROL_ENTRY, .stop = CONTROL_TIME, .stop_time = 3}, .what = {[2] = START + 1},
	          .in = "1S7 8C2 10C1 11R 12C1", .out = "8O 8S7 8C2 10C1 11S7 11U 11U 11Z");
}

/* The same call, not the first exit of the function. */
static void test_recursion(void)
{
	(void)ASK(.rules = {.start = CONTROL_ENTRY, .stop = CONTROL_EXIT}, .what = {[2] = (START | STOP) + 1},
	          .in = "1S7 2C2 3C2 4R 5C1 6R 7R 8C2 9R", .out = "2O 2S7 2C2 3C2 4R 5C1 6R 7R 7Z");
	/* Nor one of another task. */
	(void)ASK(.rules = {.start = CONTROL_ENTRY, .stop = CONTROL_EXIT}, .what = {[2] = (START | STOP) + 1},
	          .in = "1S7 2C2 3S8 4C2 5R 6S7 7R", .out = "2O 2S7 2C2 3S8 4C2 5R 6S7 7R 7Z");
}

static void test_autorepeat(void)
{
	(void)ASK(.rules = {.start = CONTROL_ENTRY, .stop = CONTROL_EXIT, .autorepeat = true},
	          .what = {[2] = (START | STOP) + 1}, .in = "1S7 2C2 3R 4C1 5R 6C2 7R 8C1",
	          .out = "2O 2S7 2C2 3R 3Z 6O 6S7 6C2 7R 7Z");
	/* One window after the other. */
	(void)ASK(.rules = {.stop = CONTROL_TIME, .stop_time = 5, .autorepeat = true}, .in = "1S7 2C1 6C2 7R 11C3",
	          .out = "1O 1S7 2C1 6S7 6U 6Z 6O 6S7 6C1 6C2 7R 11S7 11U 11Z 11O 11S7 11C1 11C3");
}

static void test_entries(void)
{
	struct gate_counts c;

	c = ASK(.rules = {.entries = 3, .autorepeat = true}, .in = "1S7 2C1 3C2 4R 5C3 6R 7R 8C4",
	        .out = "1O 1S7 2C1 3C2 4R 5C3 5S7 5U 5U 5Z");
	CHECK_INT((long long)c.entries, 3);
}

static void test_functions(void)
{
	struct gate_counts c;

	/* 2 is not wanted; what it calls is. Its own time is 7 - 4, without the 2 of 3. */
	c = ASK(.what = {[2] = 1}, .in = "1S7 2C1 4C2 5C3 7R 9R 10R", .out = "1O 1S7 2C1 5C3 7R 10F1:3 10R");
	CHECK_INT((long long)c.functions, 1);
	/* A tail call to one, from one, between two. */
	(void)ASK(.what = {[2] = 1}, .in = "1S7 2C1 4T2 6R 7C2 8T3 9R", .out = "1O 1S7 2C1 4R 8C3 9R");
	(void)ASK(.what = {[2] = 1, [4] = 1}, .in = "1S7 2C1 4C2 6T4 9R 10T3 11R", .out = "1O 1S7 2C1 10F2:5 10T3 11R");
}

static void test_irq(void)
{
	struct gate_counts c;

	c = ASK(.rules = {.irq = CONTROL_IRQ_NO}, .in = "1S7 2C1 3I2 4C3 6R 7E 9R", .out = "1O 1S7 2C1 9F2:4 9R");
	CHECK_INT((long long)c.irq, 2);
	c = ASK(.rules = {.irq = CONTROL_IRQ_ONLY}, .in = "1S7 2C1 3I2 4C3 6R 7E 9R", .out = "1O 1S7 3I2 4C3 6R 7E");
	CHECK_INT((long long)c.irq, 1);
	/* Interrupts have a stack of their own; a task that was switched to from one has not. */
	(void)ASK(.rules = {.irq = CONTROL_IRQ_NO}, .in = "1S7 2C1 3I2 4S8 5C3 6R 7S7 8E 9R",
	          .out = "1O 1S7 2C1 4S8 7S7 9F1:2 9R");
}

static void test_task_stack(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	struct gate *g = gate_new(&(struct gate_rules){.irq = CONTROL_IRQ_NO}, put, &out);

	CHECK_INT(gate_task(g, 8, true), 0);
	feed(g, "1S7 2C1 3I2 4S8 5C3 6R");
	CHECK_STR(out.data, "1O 1S7 2C1 4S8 5C3 6R");
	gate_free(g);
}

static void test_tasks(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	struct gate *g = gate_new(&(struct gate_rules){0}, put, &out);

	gate_tasks_only(g);
	CHECK_INT(gate_task(g, 7, true), 0);
	CHECK_INT(gate_task(g, 8, false), 0);
	CHECK_INT(gate_owner(g, 17, 7), 0);
	CHECK_INT(gate_owner(g, 18, 8), 0);
	feed(g, "1S7 2C1 3S8 4C2 5S17 6C3 7S18 8C4 9S9 10C5 11S7 12R");
	CHECK_STR(out.data, "1O 1S7 2C1 3S8 5S17 6C3 7S18 9S9 11S7 12R");
	CHECK_INT(gate_task(g, 8, true), 0); /* it has another name now */
	feed(g, "13S8 14C6 15R 16R");
	CHECK_STR(out.data, "1O 1S7 2C1 3S8 5S17 6C3 7S18 9S9 11S7 12R 13S8 14C6 15R");
	gate_free(g);
}

static void test_min(void)
{
	struct gate_counts c;

	/* Nothing comes before it is decided, and then in the order of its time. */
	c = ASK(.rules = {.min = 5}, .in = "1S7 2C1 3C2 4R 5C3 11R 12R", .out = "1O 1S7 2C1 5C3 11R 12F1:1 12R");
	CHECK_INT((long long)c.times, 1);
	(void)ASK(.rules = {.min = 5}, .in = "1S7 2C1 3C2 4X", .out = "1O 1S7");
	(void)ASK(.rules = {.min = 5}, .in = "1S7 2C1 3C2 4X 7X", .out = "1O 1S7 2C1");
	(void)ASK(.rules = {.min = 5}, .in = "1S7 2C1 3C2 4X 7X 8X", .out = "1O 1S7 2C1 3C2 4X 7X 8X");
	/* The stream ends: those that are open long enough are told. */
	(void)ASK(.rules = {.min = 5}, .in = "1S7 2C1 4C2 8X", .out = "1O 1S7 2C1 8X", .end = true);
	/* Of tail calls each is a call. */
	(void)ASK(.rules = {.min = 5}, .in = "1S7 2C1 9T2 10T3 20T4 21R", .out = "1O 1S7 2C1 9R 10C3 20R");
}

static void test_max(void)
{
	(void)ASK(.rules = {.max = 5}, .in = "1S7 2C1 3C2 5R 6C3 12R 13R", .out = "1O 1S7 3C2 5R");
	(void)ASK(.rules = {.min = 2, .max = 5}, .in = "1S7 2C1 3R 4C2 6R 7C3 13R", .out = "1O 1S7 4C2 6R");
}

/* What is left out in no call that is put out. */
static void test_outer(void)
{
	(void)ASK(.rules = {.min = 5}, .outer = true, .in = "1S7 2C1 4R 5C2 12R", .out = "1O 1S7 4F1:2 5C2 12R");
	(void)ASK(.what = {[2] = 1}, .outer = true, .in = "1S7 2C2 4C1 7R 9R", .out = "1O 1S7 4C1 7R 9F1:4");
	/* Behind a call that waits there is one for a stack until another one is used. */
	(void)ASK(.rules = {.min = 5}, .outer = true, .in = "1S7 2C1 3S8 4C2 5R 5C2 6R 7S7 9R",
	          .out = "1O 1S7 2C1 3S8 6F2:2 7S7 9R");
	/* The stream ends, and what is left out is open. */
	(void)ASK(.rules = {.max = 5}, .outer = true, .in = "1S7 2C1 4C2 5R 20X",
	          .out = "1O 1S7 4C2 5R 20X 20S7 20F1:17", .end = true);
	(void)ASK(.what = {[2] = 1}, .outer = true, .in = "1S7 2C1 4C2 7X", .out = "1O 1S7 2C1 7X 7S7 7F1:3",
	          .end = true);
	/* So does the window. */
	(void)ASK(.rules = {.stop = CONTROL_ENTRY}, .what = {[2] = 1, [3] = STOP + 1}, .outer = true,
	          .in = "1S7 2C2 4C1 6R 8C3", .out = "1O 1S7 4C1 6R 8S7 8F1:4 8Z");
}

/* While a task does not run time passes for its calls; but that is not theirs. */
static void test_switched(void)
{
	(void)ASK(.rules = {.min = 50}, .in = "1S7 2C1 4C2 5S8 95S7 100R 101C3 102R 110R",
	          .out = "1O 1S7 2C1 4C2 5S8 95S7 100R 110F1:1 110R");
	(void)ASK(.what = {[2] = 1}, .in = "1S7 2C1 4C2 5S8 95S7 100R 110R", .out = "1O 1S7 2C1 5S8 95S7 110F1:6 110R");
}

/* The events of one CPU come behind those of the other. */
static void test_cpus(void)
{
	(void)ASK(.rules = {.min = 5}, .in = "1S7@0 2C1 3S8@1 4C2 5S7@0 40R 6S8@1 7R 50R",
	          .out = "1O 1S7 2C1 3S8 5S7 40R 6S8");
}

/* More calls wait than there is room for: the first one is taken as if it were long enough. */
static void test_many(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	struct gate *g = gate_new(&(struct gate_rules){.min = 1000, .max = 100000000}, put, &out);
	struct gate_event e = {.kind = GATE_CALL, .number = 1};

	CHECK_INT(gate_take(g, &e), 0);
	e.kind = GATE_OTHER;
	for (unsigned i = 0; i < (1u << 20); i++)
		(void)gate_take(g, &e);
	CHECK_INT((long long)gate_counts(g).forced, 1);
	CHECK(strncmp(out.data, "0O 0C1 0X 0X", 12) == 0);
	gate_free(g);
}

static void test_rules_of(void)
{
	struct control_config c = {.min_time = 1000, .max_time = 1, .stop = {.when = CONTROL_TIME, .time = 2000000000}};
	struct gate_rules r;

	gate_rules_of(&r, &c, 3000000000);
	CHECK_INT((long long)r.min, 3000);
	CHECK_INT((long long)r.max, 3);
	CHECK(r.stop == CONTROL_TIME && r.stop_time == 6000000000);
	gate_rules_of(&r, &c, 1000);
	CHECK_INT((long long)r.max, 1); /* not 0, which would be any */
}

int main(void)
{
	test_all();
	test_start_entry();
	test_start_exit();
	test_start_time();
	test_stop_entry();
	test_stop_exit();
	test_stop_time();
	test_recursion();
	test_autorepeat();
	test_entries();
	test_functions();
	test_irq();
	test_task_stack();
	test_tasks();
	test_min();
	test_max();
	test_outer();
	test_switched();
	test_cpus();
	test_many();
	test_rules_of();
	return TAP_DONE();
}
