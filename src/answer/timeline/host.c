/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs, and the first of each system call and of each function that led to one; or the first samples of functions.
 */
#include "timeline.h"
#include <exectrace/answer/recording/idmap.h>

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/base/path.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct timeline_host_adding {
	struct timeline *t;
	struct recording *recording;
	struct call_select *select;
	struct call_select who; /* whose programs are wanted, whatever is asked of calls */
	struct idmap calls;     /* by number and machine: item, as a pointer */
	struct idmap functions; /* recorded_function: item, as a pointer */
	struct idmap programs;  /* recorded_process: item, as a pointer */
	uint32_t *seen;         /* items of functions that are in the stack at hand */
	size_t n_seen;
};

static int keep(struct timeline_host_adding *a, const char *text, size_t n, const char **ret)
{
	return pool_text(&a->t->texts, text, n, ret, NULL);
}

/*
 * Calls come in the order in which they return, so one that waited long may be the first one after all. What is around
 * it in its stack is not later either: no item gets below itself.
 */
static void begin_earlier(struct timeline_item *known, const struct timeline_item *item)
{
	if (item->start >= known->start)
		return;
	known->start = item->start;
	known->elapsed = item->elapsed;
	known->pid = item->pid;
	known->task = item->task;
	known->parent = item->parent;
	known->depth = item->depth;
}

/* The item under a pair of numbers, made of *item when there is none. 0: no memory. */
static uint32_t find(struct timeline_host_adding *a, struct idmap *map, uint64_t id, uint64_t sub,
                     const struct timeline_item *item)
{
	uint32_t number = (uint32_t)(uintptr_t)idmap_get(map, id, sub);

	if (number) {
		begin_earlier(&a->t->items[number], item);
		return number;
	}
	number = timeline_add(a->t, item);
	return number && idmap_put(map, id, sub, (char *)(uintptr_t)number) ? 0 : number;
}

/* --- Programs ------------------------------------------------------------------------------------------------------
 */

/* What it was started as: its words, blanks between them. */
static int program_name(struct timeline_host_adding *a, const struct recorded_process *process, const char **ret)
{
	struct buf text = BUF_INIT;
	int rc = process->argv.n ? 0 : buf_puts(&text, process->path);

	for (size_t i = 0; i < process->argv.n && !rc; i++) {
		rc = i ? buf_putc(&text, ' ') : 0;
		if (!rc)
			rc = buf_puts(&text, process->argv.items[i]);
	}
	if (!rc)
		rc = keep(a, text.data ? text.data : "", text.len, ret);
	buf_release(&text);
	return rc;
}

static void end_program(struct timeline_host_adding *a, const struct recorded_process *process, uint64_t time)
{
	uint32_t number = (uint32_t)(uintptr_t)idmap_get(&a->programs, (uintptr_t)process, 0);
	struct timeline_item *item = &a->t->items[number];

	if (!number || item->ended)
		return;
	item->ended = true;
	item->elapsed = item->ran = time > item->start ? time - item->start : 0;
}

static int begin_program(struct timeline_host_adding *a, const struct recorded_event *event)
{
	const struct recorded_process *process = event->thread->process;
	struct timeline_item item = {.kind = TIMELINE_PROGRAM, .start = event->time, .pid = process->pid, .count = 1};
	uint32_t number;
	int rc;

	end_program(a, process, event->time);
	if (!call_selected(&a->who, event))
		return 0;
	rc = program_name(a, process, &item.name);
	if (rc)
		return rc;
	item.module = "";
	item.task = event->thread->comm;
	number = timeline_add(a->t, &item);
	return number ? idmap_put(&a->programs, (uintptr_t)process, 0, (char *)(uintptr_t)number) : -ENOMEM;
}

/* --- Calls and functions -------------------------------------------------------------------------------------------
 */

/* Adds a call, or a sample, that took so long to an item. */
static void count(struct timeline_item *item, uint64_t duration)
{
	item->count++;
	item->ran += duration;
	item->ended = true;
}

static bool is_seen(const struct timeline_host_adding *a, uint32_t number)
{
	for (size_t i = 0; i < a->n_seen; i++)
		if (a->seen[i] == number)
			return true;
	return false;
}

/* The functions of the stack, the outermost first: each is below the one before. All of them took item->elapsed. */
static int add_stack(struct timeline_host_adding *a, const struct recorded_event *event, struct timeline_item *item)
{
	const struct recorded_frame *frames;
	uint32_t *seen;
	size_t n;
	int rc = recording_stack(a->recording, event, &frames, &n);

	seen = rc ? NULL : reallocarray(a->seen, n + 1, sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	a->seen = seen;
	a->n_seen = 0;
	for (size_t i = n; i--;) {
		const struct recorded_function *f = frames[i].function;
		uint32_t number;

		item->kind = TIMELINE_FUNCTION;
		item->name = f->name;
		item->module = path_name(f->file);
		number = find(a, &a->functions, (uintptr_t)f, 0, item);
		if (!number)
			return -ENOMEM;
		if (!is_seen(a, number))
			count(&a->t->items[number], item->elapsed);
		a->seen[a->n_seen++] = number;
		item->parent = number;
		item->depth++;
	}
	return 0;
}

static int add_call(struct timeline_host_adding *a, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	struct timeline_item item = {.start = call->enter,
	                             .elapsed = call->duration,
	                             .pid = event->thread->tid,
	                             .task = event->thread->comm};
	char name[CALL_NAME_MAX];
	const char *shown = call_name(call, name);
	uint32_t number;
	int rc = add_stack(a, event, &item);

	a->t->called = true;
	if (rc)
		return rc;
	item.kind = TIMELINE_CALL;
	item.module = "";
	rc = keep(a, shown, strlen(shown), &item.name);
	number = rc ? 0 : find(a, &a->calls, (uintptr_t)item.name, 0, &item);
	if (!number)
		return -ENOMEM;
	count(&a->t->items[number], call->duration);
	return 0;
}

static int add_sample(struct timeline_host_adding *a, const struct recorded_event *event)
{
	struct timeline_item item = {.start = event->time,
	                             .elapsed = event->record->sample.weight,
	                             .pid = event->thread->tid,
	                             .task = event->thread->comm};

	a->t->sampled = true;
	return add_stack(a, event, &item);
}

static int add_event(struct timeline_host_adding *a, const struct recorded_event *event)
{
	if (event->time > a->t->end)
		a->t->end = event->time;
	if (!event->thread)
		return 0;
	switch (event->record->type) {
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
		return call_selected(a->select, event) ? add_call(a, event) : 0;
	case DATA_SAMPLE:
		return call_selected(a->select, event) ? add_sample(a, event) : 0;
	case DATA_EXEC:
		return begin_program(a, event);
	case DATA_EXIT:
		if (event->record->exit.tid == event->record->exit.pid)
			end_program(a, event->thread->process, event->time);
		return 0;
	default:
		return 0;
	}
}

/* Programs that were not seen to end, and those that did not run in the time that is wanted. */
static void finish(struct timeline *t, const struct call_select *select)
{
	for (size_t i = 1; i < t->n; i++) {
		struct timeline_item *item = &t->items[i];

		if (item->kind != TIMELINE_PROGRAM)
			continue;
		if (!item->ended)
			item->elapsed = item->ran = t->end > item->start ? t->end - item->start : 0;
		item->dropped =
			select->timed && (item->start >= select->until || item->start + item->elapsed < select->from);
	}
}

int timeline_host(struct timeline **ret, struct recording *r, struct call_select *select)
{
	struct timeline_host_adding a = {
		.t = timeline_new(),
		.recording = r,
		.select = select,
		.who = {.pids = select->pids, .n_pids = select->n_pids, .comm = select->comm},
	};
	struct recorded_event event;
	int rc = a.t ? 1 : -ENOMEM;

	if (a.t)
		a.t->start = a.t->end = recording_start(r);
	while (rc == 1 && (rc = recording_next(r, &event)) == 1) {
		rc = add_event(&a, &event);
		rc = rc ? rc : 1;
	}
	idmap_release(&a.calls);
	idmap_release(&a.functions);
	idmap_release(&a.programs);
	free(a.seen);
	if (rc) {
		timeline_free(a.t);
		return rc;
	}
	finish(a.t, select);
	*ret = a.t;
	return 0;
}

bool timeline_has(const struct timeline *t, enum select_event event)
{
	return event == SELECT_SAMPLES ? t->sampled : event == SELECT_CALLS && t->called;
}
