/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guestfile FILE: what a recording of a guest has, as lines that tests look for:
 *   function ADDRESS CALLS FILE NAME     each that was entered
 *   task PID NAME                        each task that was seen, again when its name changes
 *   syscall TID NUMBER RESULT            each system call
 *   exit TID STATUS                      each thread that has ended
 *   window NUMBER                        each that begins
 *   filtered COUNT                       calls that were left out, together
 *   shortest NS                          of the calls with a return, where the clock is one of time
 *   note TEXT
 *   wrong N WHAT                         what no recording should have
 *   file: whole | cut
 */
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/data/dictionary.h>
#include <exectrace/format/data/reader.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS (1u << 22)
#define STACKS (1u << 17)

#define DEPTH 256

struct counts {
	uint64_t *calls; /* of each function */
	int64_t *depth;  /* of each stack */
	uint64_t *since; /* of each stack, DEPTH: clocks of the calls that are open */
	uint64_t stack, shortest, filtered;
	uint64_t undefined, shallow, nowhere;
};

static void enter(struct counts *c, uint64_t function, bool defined)
{
	c->undefined += !defined;
	c->nowhere += !c->stack;
	if (function < FUNCTIONS)
		c->calls[function]++;
}

/* A call that has returned; deeper ones are not looked at. */
static void leave(struct counts *c, const struct data_event *e)
{
	int64_t depth = --c->depth[c->stack];
	uint64_t since = depth >= 0 && depth < DEPTH ? c->since[c->stack * DEPTH + (uint64_t)depth] : 0;

	c->shallow += depth < 0;
	if (since && e->type != DATA_UNWIND && e->clock - since < c->shortest)
		c->shortest = e->clock - since;
}

static void begin(struct counts *c, uint64_t clock)
{
	int64_t depth = c->depth[c->stack];

	if (depth >= 0 && depth < DEPTH)
		c->since[c->stack * DEPTH + (uint64_t)depth] = clock;
}

static void take(struct counts *c, struct data_reader *r, const struct data_event *e)
{
	struct data_function function;
	bool known = e->type != DATA_CALL && e->type != DATA_TAIL && e->type != DATA_IRQ_ENTER;

	known = known || data_reader_function(r, e->call.function, &function) == 0;
	switch (e->type) {
	case DATA_CALL:
	case DATA_IRQ_ENTER:
		begin(c, e->clock);
		c->depth[c->stack]++;
		enter(c, e->call.function, known);
		break;
	case DATA_TAIL:
		c->shallow += c->depth[c->stack] < 1;
		enter(c, e->call.function, known);
		break;
	case DATA_RETURN:
	case DATA_IRQ_EXIT:
	case DATA_UNWIND:
		leave(c, e);
		break;
	case DATA_WINDOW:
		if (e->window.open)
			printf("window %" PRIu64 "\n", e->window.number);
		break;
	case DATA_FILTERED:
		c->filtered += e->filtered.count;
		break;
	case DATA_SWITCH:
		c->stack = e->on.stack < STACKS ? e->on.stack : 0;
		break;
	case DATA_TASK:
		printf("task %u %.*s\n", e->task.pid, (int)e->task.name.n, e->task.name.bytes);
		break;
	case DATA_SYSCALL:
		printf("syscall %u %u %" PRId64 "\n", e->syscall.tid, e->syscall.nr, e->syscall.result);
		break;
	case DATA_EXIT:
		printf("exit %u %d\n", e->exit.tid, e->exit.status);
		break;
	case DATA_NOTE:
		printf("note %.*s\n", (int)e->note.n, e->note.bytes);
		break;
	default:
		break;
	}
}

static void print(const struct counts *c, struct data_reader *r)
{
	struct data_function f;
	struct data_file file;
	uint64_t hz;

	for (uint64_t id = 1; id < FUNCTIONS; id++) {
		if (!c->calls[id] || data_reader_function(r, id, &f))
			continue;
		file = (struct data_file){0};
		if (f.file)
			(void)data_reader_file(r, f.file, &file);
		printf("function %016" PRIx64 " %" PRIu64 " %.*s %.*s\n", f.address, c->calls[id], (int)file.path.n,
		       file.path.n ? file.path.bytes : "", (int)f.name.n, f.name.bytes);
	}
	hz = data_reader_facts(r)->clocks[1].hz;
	if (c->filtered)
		printf("filtered %" PRIu64 "\n", c->filtered);
	if (hz && c->shortest != UINT64_MAX)
		printf("shortest %.0f\n", (double)c->shortest * 1e9 / (double)hz);
	if (c->undefined)
		printf("wrong %" PRIu64 " functions are not defined\n", c->undefined);
	if (c->shallow)
		printf("wrong %" PRIu64 " returns without a call\n", c->shallow);
	if (c->nowhere)
		printf("wrong %" PRIu64 " calls on no stack\n", c->nowhere);
}

int main(int argc, char **argv)
{
	static const char *const ends[] = {"open", "whole", "cut"};
	cleanup_buf struct buf why = BUF_INIT;
	struct data_reader *r = NULL;
	struct data_event event;
	struct counts c = {.calls = calloc(FUNCTIONS, sizeof(*c.calls)),
	                   .depth = calloc(STACKS, sizeof(*c.depth)),
	                   .since = calloc((size_t)STACKS * DEPTH, sizeof(*c.since)),
	                   .shortest = UINT64_MAX};
	int err = argc != 2                          ? -EINVAL
	          : !c.calls || !c.depth || !c.since ? -ENOMEM
	                                             : data_reader_open(&r, argv[1], &why);

	while (!err && (err = data_reader_next(r, &event, &why)) > 0) {
		take(&c, r, &event);
		err = 0;
	}
	if (err) {
		fprintf(stderr, "guestfile: %s\n", why.len ? why.data : strerror(-err));
	} else {
		print(&c, r);
		printf("file: %s\n", ends[data_reader_end(r)]);
	}
	data_reader_close(r);
	free(c.calls);
	free(c.depth);
	free(c.since);
	return err ? 1 : 0;
}
