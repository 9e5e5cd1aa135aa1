/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/export/guest/nest.h>

#include <errno.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/answer/format/uftrace.h>
#include <exectrace/base/grow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_UNTOLD 100000000u /* and the number of the task: an id of what has none, or of a task's second stack */

struct guest_uftrace_writer {
	struct guest *g;
	struct uftrace *uftrace;
	struct nest nest;
	struct byte_map tids; /* by task id: its number */
	uint64_t *addresses;  /* by function; 0: not known yet */
	size_t n_addresses;
};

static int on_task(void *ctx, struct nest_task *task)
{
	struct guest_uftrace_writer *w = ctx;
	uint32_t tid = ID_UNTOLD + (uint32_t)task->number, pid = tid;
	uint64_t *owner;
	char name[32];
	int rc = 0;

	/* uftrace knows one name of each, which is the last one. */
	if (task->user)
		return *task->name ? uftrace_name(w->uftrace, (uintptr_t)task->user - 1, text_of(task->name)) : 0;
	if (task->told && task->pid < ID_UNTOLD) {
		rc = byte_map_find(&w->tids, &task->pid, sizeof(task->pid), &owner);
		if (!rc && !*owner) {
			*owner = task->number;
			tid = task->pid;
		}
		pid = task->tgid && task->tgid < ID_UNTOLD ? task->tgid : tid;
	}
	snprintf(name, sizeof(name), "stack-%llu", (unsigned long long)task->stack);
	if (!rc)
		rc = uftrace_task(w->uftrace, pid, tid, guest_time(w->g, w->g->start),
		                  text_of(task->told && *task->name ? task->name : name));
	task->user = (void *)(uintptr_t)w->uftrace->n;
	return rc;
}

static int learn(struct guest_uftrace_writer *w, uint32_t function)
{
	const struct replay_function *f = replay_function(w->g->replay, function);

	if (widen_array((void **)&w->addresses, &w->n_addresses, function, sizeof(*w->addresses)))
		return -ENOMEM;
	return uftrace_function(w->uftrace, text_of(f->name), text_of(*f->module ? f->module : "[unknown]"),
	                        &w->addresses[function]);
}

static int add(struct guest_uftrace_writer *w, const struct nest_stack *stack, enum uftrace_type type)
{
	const struct nest_call *call = &stack->calls[stack->n - 1];
	const struct uftrace_record record = {
		.type = type,
		.time = guest_time(w->g, type == UFTRACE_ENTRY ? call->begin : call->end),
		.depth = (unsigned)stack->n - 1,
		.address = w->addresses[call->line.function],
	};
	uint64_t before = w->uftrace->bytes;
	int rc;

	if (record.depth > UFTRACE_DEPTH)
		return 0;
	rc = uftrace_add(w->uftrace, (uintptr_t)call->task->user - 1, &record);
	w->g->e->out.given += w->uftrace->bytes - before;
	return rc;
}

static int on_open(void *ctx, struct nest_stack *stack)
{
	struct guest_uftrace_writer *w = ctx;
	uint32_t function = stack->calls[stack->n - 1].line.function;
	int rc = function < w->n_addresses && w->addresses[function] ? 0 : learn(w, function);

	return rc ? rc : add(w, stack, UFTRACE_ENTRY);
}

static int on_close(void *ctx, struct nest_stack *stack)
{
	return add(ctx, stack, UFTRACE_EXIT);
}

static int on_line(void *ctx, const struct call_line *line)
{
	return nest_line(&((struct guest_uftrace_writer *)ctx)->nest, line);
}

int guest_uftrace(struct guest *g, struct uftrace *u)
{
	struct guest_uftrace_writer w = {.g = g, .uftrace = u};
	const struct nest_sink sink = {&w, on_task, on_open, on_close};
	int rc;

	w.nest.sink = &sink;
	rc = guest_lines(g, on_line, &w);
	if (!rc)
		rc = nest_finish(&w.nest);
	nest_release(&w.nest);
	byte_map_release(&w.tids);
	free(w.addresses);
	return rc;
}
