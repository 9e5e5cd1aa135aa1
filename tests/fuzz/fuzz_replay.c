/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of a guest that say whatever the bytes say, in a file that is whole. What must hold: the own times of all
 * rows together are the time that the CPUs were followed, however calls, interrupts and stacks are mixed up; each call
 * has one line, the same number whatever waits.
 */
#include "bytes.h"
#include "expect.h"
#include <exectrace/answer/calltree/calldiff.h>
#include <exectrace/answer/calltree/overview.h>
#include <exectrace/answer/report/calltrace.h>
#include <exectrace/answer/report/shapes.h>
#include <exectrace/answer/timeline/timeline.h>
#include <exectrace/answer/waits/wait_chain.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/data/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Mostly small, so that identifiers meet. */
static uint64_t number(struct bytes *b)
{
	uint64_t v = take(b);

	return v < 224 ? v % 8 : v < 240 ? UINT64_MAX - v % 8 : take(b) << 56 | take(b) << 18 | take(b);
}

/* Names that mean something to who looks for waits. */
static const char *const wait_names[] = {"schedule",      "__schedule", "schedule_timeout", "do_wait",
                                         "call_timer_fn", "kthread",    "do_task_dead",     "exit_to_user_mode_loop",
                                         "do_idle"};

static struct data_function function(struct bytes *b)
{
	struct data_function f = {number(b) | 1, number(b), number(b), 0, {"_ZN1a1bEv", take(b) % 10}};

	if (take(b) % 2) {
		const char *name = wait_names[take(b) % (sizeof(wait_names) / sizeof(wait_names[0]))];

		f.name = (struct data_text){name, strlen(name)};
	}
	return f;
}

/* What was logged; what a call was given, or gave, and what that is; nothing for other records. */
static void fill_values(struct data_event *event, struct bytes *b, struct data_extra *extra)
{
	static const char types[] = "a:s4,b:p,c:e4{A=1|B=2};s4", text[] = "text\0\xff";

	if (event->type == DATA_MESSAGE)
		event->message = (struct data_message){take(b) % 4,
		                                       take(b) % 8,
		                                       number(b),
		                                       (uint32_t)number(b),
		                                       {"cut \0\n", take(b) % 7}};
	if (event->type == DATA_SIGNATURE)
		event->signature = (struct data_signature){number(b) | 1, {types, take(b) % sizeof(types)}};
	if (event->type != DATA_CALL_ARGS && event->type != DATA_CALL_RESULT)
		return;
	*extra = (struct data_extra){(uint8_t)(take(b) % 7), (uint8_t)(take(b) % 6), {text, take(b) % sizeof(text)}};
	event->values = (struct data_values){(uint8_t)(take(b) % 7), take(b) & 1, {number(b), number(b)}, extra};
}

/* Of one task by another, which wakes it, or has what it is about to wait for. */
static void fill_wake(struct data_event *event, struct bytes *b)
{
	const uint64_t stack = take(b) % 8, how = take(b);

	if (how & 2) {
		event->type = DATA_HELD;
		event->held = (struct data_held){how >> 2 & 3, stack};
	} else {
		event->wake = (struct data_wake){stack, how & 1};
	}
}

static int add(struct data_writer *w, struct bytes *b, uint64_t *clock)
{
	static const uint8_t types[] = {DATA_CALL,      DATA_CALL,      DATA_CALL,        DATA_RETURN,   DATA_RETURN,
	                                DATA_TAIL,      DATA_IRQ_ENTER, DATA_IRQ_EXIT,    DATA_SWITCH,   DATA_UNWIND,
	                                DATA_TASK,      DATA_SYNC,      DATA_FILE,        DATA_FUNCTION, DATA_FILTERED,
	                                DATA_SIGNATURE, DATA_CALL_ARGS, DATA_CALL_RESULT, DATA_WAKE,     DATA_MESSAGE};
	struct data_event event = {.type = types[take(b) % sizeof(types)]};
	struct data_extra extra = {0};
	uint64_t step = take(b);

	/* Clocks may go back, and far; sums of them have to fit. */
	*clock = (step == 255 ? number(b) : *clock + step) & (UINT64_MAX >> 16);
	event.clock = *clock;
	switch (event.type) {
	case DATA_CALL:
	case DATA_TAIL:
	case DATA_IRQ_ENTER:
		event.call.function = number(b);
		break;
	case DATA_SWITCH:
		event.on.stack = number(b);
		event.on.cpu = (uint32_t)(number(b) & 0xff);
		break;
	case DATA_TASK:
		event.task = (struct data_task){number(b), (uint32_t)number(b), 1, {"task\0x", take(b) % 7}};
		break;
	case DATA_SYNC:
		event.sync = (struct data_sync){number(b), (uint32_t)(take(b) & 3)};
		break;
	case DATA_FILE:
		event.file = (struct data_file){number(b) | 1, {"/a/b", take(b) % 5}, {NULL, 0}};
		if (take(b) % 2)
			event.file.path = (struct data_text){"[kernel]", 8};
		break;
	case DATA_WAKE:
		fill_wake(&event, b);
		break;
	case DATA_FILTERED:
		event.filtered = (struct data_filtered){number(b), number(b), number(b)};
		break;
	case DATA_FUNCTION:
		event.function = function(b);
		break;
	default:
		fill_values(&event, b, &extra);
		break;
	}
	return data_writer_event(w, &event);
}

static int count_line(void *ctx, const struct call_line *line)
{
	*(uint64_t *)ctx += line->kind == CALL_LINE_CALL;
	return 0;
}

static int count_message(void *ctx, struct replay_stack *stack, const struct data_message *m, uint64_t now)
{
	(void)now;
	expect(m->level <= DATA_LEVEL_MAX && m->text.n < 7 && (!stack || stack->task));
	++*(uint64_t *)ctx;
	return 0;
}

/* Messages are told whatever else is left out; who asks for them changes no time. */
static void look_at_messages(struct replay *p, uint64_t *n)
{
	const struct replay_sink sink = {.ctx = n, .message = count_message}, none = {0};
	uint64_t time;

	expect(replay_run(p, &none) == 0);
	time = replay_cpu_time(p);
	expect(replay_run(p, &sink) == 0 && replay_cpu_time(p) == time);
}

/* The chain of who waited for whom has no gaps, and each moment of it is one task's. */
static void chain(struct replay *p)
{
	struct task_waits *waits = NULL;
	struct wait_chain c;
	struct replay_sink sink;
	uint64_t of_tasks = 0, of_links = 0;

	expect(task_waits_new(&waits, p) == 0);
	sink = task_waits_sink(waits);
	expect(replay_run(p, &sink) == 0 && wait_chain_make(&c, waits) == 0);
	for (size_t i = 0; i < c.n; i++) {
		const struct waits_task *task = task_waits_at(waits, c.links[i].task);
		struct chain_window window = {0};
		uint64_t before = chain_window_at(&c, &window, task->pid, task->stack, c.links[i].from);

		expect(c.links[i].from < c.links[i].to && (!i || c.links[i].from == c.links[i - 1].to));
		of_links += c.links[i].to - c.links[i].from;
		of_tasks += chain_window_at(&c, &window, task->pid, task->stack, c.links[i].to) - before;
	}
	expect(of_links == of_tasks && (!c.n || c.links[c.n - 1].to <= task_waits_end(waits)));
	wait_chain_release(&c);
	task_waits_free(waits);
}

/* Own time of all rows but the special ones is that of all paths, and a tree does not differ from itself. */
static void grow_tree(struct replay *p, struct report_functions *f, const struct functions_options *options, bool whole)
{
	struct calltree *t = calltree_new(), *graph;
	const struct functions_row *const *rows;
	const struct calldiff_row *differences;
	struct calldiff *d;
	uint64_t own = 0;
	uint32_t *wanted;
	size_t n;

	expect(t && calltree_replay(t, p, options) == 0 && calltree_finish(t) == 0);
	expect(functions_rows(f, FUNCTIONS_SORT_SELF, &rows, &n) == 0);
	for (size_t i = 0; i < n; i++)
		own += rows[i]->special ? 0 : rows[i]->self;
	expect(!whole || own == calltree_total(t, 0));
	(void)calltree_functions(t, &n);
	wanted = calloc(n + 1, sizeof(*wanted));
	expect(wanted != NULL);
	for (size_t i = 0; i < n / 2; i++)
		wanted[i] = (uint32_t)i * 2 + 1;
	for (unsigned i = 0; i < 6; i++) {
		graph = calltree_graph(t, wanted, n / 2, (enum calltree_graph)(i / 2), i % 2 ? 100 : 1);
		expect(graph != NULL);
		calltree_free(graph);
	}
	d = calldiff_new(t, t);
	expect(d && calldiff_functions(d, 0, &differences, &n) == 0 && n == 0);
	expect(calldiff_paths(d, 0, &differences, &n) == 0 && n == 0);
	calldiff_free(d);
	calltree_free(t);
	free(wanted);
}

/* All items are there when all are asked for, and each once. */
static void tell_time(struct replay *p, const struct functions_options *options)
{
	const struct timeline_item *const *items;
	struct timeline *t = NULL;
	size_t n, shown = 0, few;
	bool known;

	expect(timeline_guest(&t, p, options) == 0);
	expect(timeline_guest_waits(t, p, &known) == 0);
	expect(timeline_choose(t, 0, &items, &n) == 0);
	for (size_t i = 0; i < n; i++)
		shown += items[i]->kind != TIMELINE_PHASE && items[i]->kind != TIMELINE_REST;
	expect(shown == timeline_items(t));
	expect(timeline_choose(t, 3, &items, &few) == 0 && few <= n + 10);
	timeline_free(t);
}

/* All own times of paths are the time that the CPUs were followed, too; calls are those that rows count. */
static void overview(struct replay *p, bool whole, uint64_t calls)
{
	const struct calltree_node *nodes;
	struct overview *s = NULL;
	size_t n;
	uint64_t count = 0;

	expect(overview_new(&s) == 0 && overview_guest(s, p, 0) == 0);
	overview_finish(s);
	nodes = calltree_nodes(overview_paths(s), &n);
	for (size_t i = 0; i < n; i++)
		count += nodes[i].sides[0].count;
	expect(!whole || (nodes[CALLTREE_ROOT].sides[0].total == replay_cpu_time(p) && count == calls));
	overview_free(s);
}

/* Calls of a function are in one of its shapes each; odd ones are few of them. */
static void look_at_shapes(struct replay *p)
{
	static const struct shapes_options all;
	struct shapes *s = shapes_new(p, &all);
	struct shapes_grows *grows;
	struct shapes_odd *odd;
	size_t n;

	expect(s && shapes_run(s) == 0);
	for (uint32_t f = 0; f < replay_functions(p); f++) {
		const struct shapes_shape *shapes = shapes_of(s, f, &n);
		uint64_t calls = 0;

		for (size_t i = 0; i < n; i++)
			calls += shapes[i].count;
		expect(!shapes || calls == shapes_calls(s, f));
	}
	expect(shapes_find_odd(s, &odd, &n) == 0);
	for (size_t i = 0; i < n; i++)
		expect(odd[i].odd && odd[i].odd * 8 <= odd[i].calls && odd[i].n &&
		       odd[i].first.number <= odd[i].last.number);
	free(odd);
	expect(shapes_find_growth(s, 0, &grows, &n) == 0);
	for (size_t i = 0; i < n; i++)
		expect(grows[i].fit.trend && grows[i].fit.first_tenth < grows[i].fit.last_tenth);
	free(grows);
	shapes_free(s);
}

static void count(struct recording *r, const struct replay_options *how, const struct functions_options *options,
                  bool whole)
{
	cleanup_buf struct buf why = BUF_INIT;
	const struct functions_row *const *rows;
	uint64_t few = 0, many = 0, messages = 0;
	struct functions_options growing = *options;
	struct report_functions *f = NULL;
	struct replay *p = NULL;
	size_t n;

	growing.growth = true;
	if (replay_new(&p, r, 0, how, &why)) {
		expect(why.len > 0);
		return;
	}
	growing.delays = true;
	f = functions_new(p, &growing);
	expect(f && functions_count(f) == 0 && functions_rows(f, FUNCTIONS_SORT_SELF, &rows, &n) == 0);
	expect(!whole || functions_total(f) == replay_cpu_time(p));
	expect(calltrace_run(p, &(struct calltrace_options){.which = *options, .window = 4}, count_line, &few) == 0);
	expect(calltrace_run(p, &(struct calltrace_options){.which = *options, .trees = true, .window = 64}, count_line,
	                     &many) == 0);
	expect(few == many && (!whole || few == functions_calls(f)));
	grow_tree(p, f, options, whole);
	tell_time(p, options);
	chain(p);
	overview(p, whole, functions_calls(f));
	look_at_shapes(p);
	look_at_messages(p, &messages);
	functions_free(f);
	replay_free(p);
}

/* Triggers and filters, each alone and with others. */
static void control(struct recording *r, bool timed)
{
	static const char *const settings[][3] = {
		{"from=entry:a::*", "to=exit:a::*", "autorepeat"},
		{"exclude=a::*", "entries=5", NULL},
		{"function=a::*", "irq=no", "task=t"},
		{"from=exit:*", "to=entry:*", "irq=only"},
		{"min-time=2ns", "max-time=40ns", NULL},
		{"from=time:9ns", "min-time=2ns", "function=a::*"},
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]) - (timed ? 0 : 2); i++) {
		struct control_config config = {0};
		cleanup_buf struct buf why = BUF_INIT;

		for (size_t j = 0; j < 3 && settings[i][j]; j++) {
			const char *equals = strchr(settings[i][j], '=');
			char name[16];

			snprintf(name, sizeof(name), "%.*s", (int)strcspn(settings[i][j], "="), settings[i][j]);
			expect(control_set(&config, name, equals ? equals + 1 : NULL, &why) == 0);
		}
		count(r, &(struct replay_options){.control = &config}, &(struct functions_options){.callees = true},
		      false);
		control_release(&config);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	bool timed = n & 1;
	const struct data_facts facts = {.clocks = {{.kind = DATA_CLOCK_MONOTONIC, .hz = 1000000000},
	                                            {.kind = timed ? DATA_CLOCK_CYCLES : DATA_CLOCK_INSTRUCTIONS,
	                                             .hz = timed ? 1000000000 : 0}}};
	struct bytes b = {bytes, n};
	cleanup_buf struct buf why = BUF_INIT;
	struct data_writer *w = NULL;
	struct recording *r = NULL;
	uint64_t clock = 0;
	uint32_t pid = 1;
	char path[32];
	int fd = memfd_create("guest", MFD_CLOEXEC);

	expect(fd >= 0 && data_writer_open(&w, fd, &facts, NULL) == 0);
	while (b.n)
		expect(add(w, &b, &clock) == 0);
	expect(data_writer_close(w) == 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	expect(recording_open(&r, path, NULL, &why) == 0);
	count(r, &(struct replay_options){0}, &(struct functions_options){.callees = true}, true);
	count(r, &(struct replay_options){0}, &(struct functions_options){.irq = FUNCTIONS_IRQ_NO, .min = 3}, false);
	count(r, &(struct replay_options){.host_time = true, .timed = true, .from = 5, .until = 500},
	      &(struct functions_options){.task = "t*", .pids = &pid, .n_pids = 1}, false);
	count(r, &(struct replay_options){0}, &(struct functions_options){.under = "a::*", .irq = FUNCTIONS_IRQ_ONLY},
	      false);
	control(r, timed);
	recording_close(r);
	close(fd);
	return 0;
}
