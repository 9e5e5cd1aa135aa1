/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The analysis of a recording that somebody else wrote. The first byte chooses: the other bytes are a run.json, an
 * execs.jsonl, or the records of a .xtr file, which is whole itself (fuzz_data is about files that are not), but whose
 * records say whatever the bytes say.
 */
#include "bytes.h"
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/calls/host.h>
#include <exectrace/answer/calls/select.h>
#include <exectrace/answer/calltree/calltree.h>
#include <exectrace/answer/calltree/overview.h>
#include <exectrace/answer/recording/execs.h>
#include <exectrace/answer/recording/tree.h>
#include <exectrace/answer/report/summary.h>
#include <exectrace/answer/timeline/timeline.h>
#include <exectrace/answer/why/why.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/data/writer.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CALLS_MAX 2000 /* looked at, so that one input does not take long */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A file with these bytes under a name in `dir`. */
static int put(const char *dir, const char *name, const uint8_t *bytes, size_t n)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "we");
	if (!file)
		return -1;
	fwrite(bytes, 1, n, file);
	return fclose(file);
}

/* Mostly small, so that identifiers, processes and addresses meet. */
static uint64_t number(struct bytes *b)
{
	uint64_t v = take(b);

	return v < 224 ? v % 8 : v < 240 ? UINT64_MAX - v % 8 : take(b) << 56 | take(b);
}

static struct data_text text(struct bytes *b)
{
	size_t n = take(b) % 12;
	const char *at = (const char *)b->p;

	if (n > b->n)
		n = b->n;
	b->p += n;
	b->n -= n;
	return (struct data_text){at, n};
}

/* Mostly those that are shown by themselves; else memory, and descriptors in it. */
static uint8_t extra_kind(struct bytes *b)
{
	uint64_t v = take(b);

	return (uint8_t)(v < 192 ? v % 4 : v % 2 ? DATA_EXTRA_MEMORY : DATA_EXTRA_DESCRIPTOR);
}

static void make_call(struct bytes *b, struct data_event *e, struct data_extra *extras)
{
	static const uint32_t machines[] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, 7};

	e->syscall = (struct data_syscall){.tid = (uint32_t)number(b), .arch = machines[take(b) % 4]};
	e->syscall.nr = (uint32_t)(take(b) << (take(b) & 1) | (take(b) == 255) << 30);
	e->syscall.nargs = (uint8_t)(take(b) % 7);
	for (unsigned i = 0; i < e->syscall.nargs; i++)
		e->syscall.args[i] = number(b);
	e->syscall.error = take(b) & 1;
	e->syscall.result = (int64_t)number(b);
	e->syscall.enter = number(b);
	e->syscall.duration = number(b);
	e->syscall.stack = number(b);
	e->syscall.nextras = (uint8_t)(take(b) % 4);
	e->syscall.extras = extras;
	for (unsigned i = 0; i < e->syscall.nextras; i++)
		extras[i] = (struct data_extra){(uint8_t)number(b), extra_kind(b), text(b)};
}

static void make_process(struct bytes *b, struct data_event *e)
{
	uint32_t tid = (uint32_t)number(b), pid = (uint32_t)number(b);

	switch (e->type) {
	case DATA_THREAD:
		e->thread = (struct data_thread){tid, pid, (uint32_t)number(b), number(b)};
		break;
	case DATA_EXEC:
		e->exec = (struct data_exec){pid, tid, number(b), text(b), (uint32_t)number(b), text(b)};
		break;
	case DATA_EXIT:
		e->exit = (struct data_exit){tid, pid, (int32_t)number(b)};
		break;
	default:
		e->comm = (struct data_comm){tid, text(b)};
	}
}

static void make_definition(struct bytes *b, struct data_event *e, struct data_symbol *symbols, uint64_t *frames)
{
	switch (e->type) {
	case DATA_FILE:
		e->file = (struct data_file){number(b), text(b), text(b)};
		break;
	case DATA_MAPSET:
		e->mapset = (struct data_mapset){number(b), number(b), 1};
		break;
	case DATA_MAP:
		e->map = (struct data_map){number(b), number(b), number(b), number(b), number(b), 5};
		break;
	case DATA_STACK:
		e->stack = (struct data_stack){number(b), number(b), (uint32_t)(take(b) % 6), frames};
		for (uint32_t i = 0; i < e->stack.n; i++)
			frames[i] = number(b);
		break;
	default:
		e->symbols = (struct data_symbols){number(b), (uint32_t)(take(b) % 4), symbols};
		for (uint32_t i = 0; i < e->symbols.n; i++)
			symbols[i] = (struct data_symbol){number(b), number(b), text(b)};
	}
}

/* A file with records that the bytes describe. Those that break a rule of the format are left out by the writer. */
static int put_records(const char *dir, const char *name, struct bytes b)
{
	static const uint8_t types[] = {DATA_SYSCALL, DATA_SYSCALL, DATA_UNFINISHED, DATA_THREAD,
	                                DATA_EXEC,    DATA_EXIT,    DATA_COMM,       DATA_FILE,
	                                DATA_MAPSET,  DATA_MAP,     DATA_STACK,      DATA_STACK,
	                                DATA_SYMBOLS, DATA_THREAD,  DATA_SAMPLE,     DATA_STOP};
	const struct data_facts facts = {.arch = AUDIT_ARCH_X86_64, .pid = (uint32_t)number(&b)};
	struct data_extra extras[4];
	struct data_symbol symbols[4];
	uint64_t frames[6];
	struct data_writer *w;
	cleanup_fd int fd = -1;
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || data_writer_open(&w, fd, &facts, &(struct data_writer_options){.raw = true}))
		return -1;
	while (b.n) {
		struct data_event e = {.type = types[take(&b) % sizeof(types)], .clock = number(&b)};

		if (e.type == DATA_SYSCALL || e.type == DATA_UNFINISHED)
			make_call(&b, &e, extras);
		else if (e.type == DATA_SAMPLE)
			e.sample = (struct data_sample){(uint32_t)number(&b), (uint32_t)number(&b), number(&b),
			                                number(&b), (uint32_t)number(&b)};
		else if (e.type == DATA_STOP)
			e.stop = (struct data_stop){(uint32_t)number(&b), (int32_t)number(&b)};
		else if (e.type <= DATA_COMM)
			make_process(&b, &e);
		else
			make_definition(&b, &e, symbols, frames);
		(void)data_writer_event(w, &e);
	}
	return data_writer_close(w);
}

static struct calltree_stacks *stacks_of(struct calltree *t, struct recording *r, enum select_event event,
                                         unsigned keys)
{
	const struct calltree_stacks_options options = {.event = event,
	                                                .keys = keys,
	                                                .calls = "[kernel]",
	                                                .unknown = "[unknown]",
	                                                .nowhere = true};

	return calltree_stacks_new(t, r, &options);
}

/* Samples, and what threads do. */
static void look_at_threads(struct recording *r)
{
	struct calltree *tree = calltree_new();
	struct calltree_stacks *samples = stacks_of(tree, r, SELECT_SAMPLES, CALLTREE_NAME);
	struct host *host = host_new(r);
	const struct host_call *calls;
	struct recorded_event event;
	size_t n, count = 0;

	while (recording_next(r, &event) == 1 && count++ < CALLS_MAX)
		if (calltree_stacks_add(samples, &event) || host_add(host, &event))
			abort();
	calltree_sum(tree, false);
	if (calltree_finish(tree) || host_calls(host, &calls, &n))
		abort();
	(void)host_threads(host, &n);
	host_free(host);
	calltree_stacks_free(samples);
	calltree_free(tree);
}

static void look(struct recording *r)
{
	struct call_select select = {.path = "/etc/x", .comm = "x*", .failed = true};
	struct summary *by_stack = summary_new(r, SUMMARY_STACK, 3), *by_process = summary_new(r, SUMMARY_PROCESS, 0);
	struct calltree *tree = calltree_new();
	struct calltree_stacks *stacks =
		stacks_of(tree, r, SELECT_CALLS, CALLTREE_COMM | CALLTREE_MODULE | CALLTREE_NAME);
	const struct summary_row *rows;
	struct recorded_event event;
	struct buf line = BUF_INIT;
	struct overview *s = NULL;
	size_t count = 0, at;

	if (overview_new(&s))
		abort();
	while (recording_next(r, &event) == 1 && count < CALLS_MAX) {
		uint8_t type = event.record->type;

		if (overview_event(s, r, &event, 0) || overview_event(s, r, &event, 1))
			abort();
		(void)call_selected(&select, &event);
		if (type != DATA_SYSCALL && type != DATA_UNFINISHED)
			continue;
		count++;
		buf_reset(&line, 1 << 16);
		(void)call_print(&line, &event.record->syscall, type == DATA_UNFINISHED);
		if (summary_add(by_stack, &event) || summary_add(by_process, &event) ||
		    calltree_stacks_add(stacks, &event))
			abort();
	}
	calltree_sum(tree, false);
	if (summary_rows(by_stack, SUMMARY_SORT_P99, &rows, &at) ||
	    summary_rows(by_process, SUMMARY_SORT_NAME, &rows, &at) || calltree_finish(tree))
		abort();
	(void)calltree_functions(tree, &at);
	for (uint32_t i = 1; i < at && i < 50; i++) {
		struct calltree *graph =
			calltree_graph(tree, &i, 1, i & 1 ? CALLTREE_INNERMOST : CALLTREE_CALLEES, 10000);

		if (!graph)
			abort();
		calltree_free(graph);
	}
	summary_free(by_stack);
	summary_free(by_process);
	calltree_stacks_free(stacks);
	calltree_free(tree);
	overview_finish(s);
	overview_free(s);
	buf_release(&line);
}

/* A tree of call paths, and a timeline, each of another reading. */
static void look_at_paths(const char *dir)
{
	const struct recording_options options = {.names = true};
	const struct timeline_item *const *items;
	struct recording *r[2] = {NULL, NULL};
	struct call_select all = {0};
	struct timeline *timeline = NULL;
	struct calltree *t = calltree_new();
	struct calltree_stacks *stacks = NULL;
	struct recorded_event event;
	struct buf why = BUF_INIT;
	size_t n;

	if (!recording_open(&r[0], dir, &options, &why))
		stacks = stacks_of(t, r[0], SELECT_ANY, CALLTREE_MODULE | CALLTREE_NAME);
	while (stacks && recording_next(r[0], &event) == 1)
		if (calltree_stacks_add(stacks, &event))
			abort();
	calltree_sum(t, true);
	if (calltree_finish(t))
		abort();
	calltree_stacks_free(stacks);
	if (!recording_open(&r[1], dir, &options, &why) &&
	    (timeline_host(&timeline, r[1], &all) || timeline_choose(timeline, 3, &items, &n)))
		abort();
	timeline_free(timeline);
	calltree_free(t);
	recording_close(r[0]);
	recording_close(r[1]);
	buf_release(&why);
}

static void look_at_tree(const char *dir)
{
	struct process_tree *tree = NULL;
	struct recording *r = NULL;
	struct buf why = BUF_INIT;
	size_t nodes = 0;

	if (!recording_open(&r, dir, NULL, &why) && !process_tree_new(&tree, r, NULL, NULL))
		for (const struct tree_node *node = process_tree_first(tree); node; node = process_tree_next(node))
			nodes += node->depth + 1;
	/* Not even a circle of parents makes it endless, or loses all of it. */
	if (tree && recording_processes(r) && !nodes)
		abort();
	process_tree_free(tree);
	recording_close(r);
	buf_release(&why);
}

/* The page, for people and for programs. */
static void ask_why(const char *dir)
{
	static const struct why_options options;
	struct buf text = BUF_INIT, err = BUF_INIT;
	struct recording *r = NULL;
	struct why *why = NULL;

	if (!recording_open(&r, dir, NULL, &err) && !why_new(&why, r, &options, &err) &&
	    (why_text(why, &text) || why_json(why, &text)))
		abort();
	why_free(why);
	recording_close(r);
	buf_release(&text);
	buf_release(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const names[] = {"t.xtr", "run.json", "execs.jsonl"};
	const struct recording_options options = {.names = true};
	char dir[] = "/dev/shm/fuzz-analyze-XXXXXX", path[128];
	struct recording *r = NULL;
	struct buf why = BUF_INIT;

	if (!n || !mkdtemp(dir))
		return 0;
	if (!(bytes[0] % 3 ? put(dir, names[bytes[0] % 3], bytes + 1, n - 1)
	                   : put_records(dir, names[0], (struct bytes){bytes + 1, n - 1}))) {
		if (!recording_open(&r, dir, &options, &why))
			look(r);
		recording_close(r);
		r = NULL;
		if (!recording_open(&r, dir, &options, &why))
			look_at_threads(r);
		recording_close(r);
		buf_release(&why);
		look_at_tree(dir);
		ask_why(dir);
		look_at_paths(dir);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, names[bytes[0] % 3]);
	unlink(path);
	rmdir(dir);
	return 0;
}
