/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls as functions, each thread a task. */
#include "private.h"

#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/export/guest/guest.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/answer/format/uftrace.h>

struct as_uftrace_tracer {
	struct exporter base; /* first */
	struct uftrace uftrace;
	struct byte_map lanes; /* by thread id: the number of the task, and 1 */
	struct byte_map calls; /* by instruction set and number: the address */
	struct buf ends;       /* by task: the end of its last call */
};

/* The task of a thread. Ids that are used again are one task. */
static int find_task(struct as_uftrace_tracer *t, const struct recorded_thread *thread, size_t *task)
{
	uint64_t *place, zero = 0;
	int rc = byte_map_find(&t->lanes, &thread->tid, sizeof(thread->tid), &place);

	if (!rc && !*place) {
		rc = uftrace_task(&t->uftrace, thread->process->pid, thread->tid, thread->start, text_of(thread->comm));
		if (!rc)
			rc = buf_append(&t->ends, &zero, sizeof(zero));
		*place = rc ? 0 : t->uftrace.n;
	}
	*task = rc ? 0 : *place - 1;
	return rc;
}

static int address_of(struct as_uftrace_tracer *t, const struct data_syscall *call, uint64_t *address)
{
	const uint32_t key[] = {call->arch, call->nr};
	char name[CALL_NAME_MAX];
	uint64_t *known;
	int rc = byte_map_find(&t->calls, key, sizeof(key), &known);

	if (!rc && !*known)
		rc = uftrace_function(&t->uftrace, text_of(call_name(call, name)), text_of("[system-calls]"), known);
	*address = rc ? 0 : *known;
	return rc;
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	struct as_uftrace_tracer *t = (struct as_uftrace_tracer *)e;
	const struct data_syscall *call = &event->record->syscall;
	struct uftrace_record record = {.type = UFTRACE_ENTRY, .time = call->enter};
	uint64_t *end, before = t->uftrace.bytes;
	size_t task;
	int rc;

	if (event->record->type != DATA_SYSCALL && event->record->type != DATA_UNFINISHED)
		return 0;
	rc = find_task(t, event->thread, &task);
	if (!rc)
		rc = address_of(t, call, &record.address);
	if (rc)
		return rc;
	end = (uint64_t *)(void *)t->ends.data + task;
	record.time = record.time > *end ? record.time : *end;
	rc = uftrace_add(&t->uftrace, task, &record);
	record.type = UFTRACE_EXIT;
	record.time = event->time > record.time ? event->time : record.time;
	*end = record.time;
	if (!rc)
		rc = uftrace_add(&t->uftrace, task, &record);
	e->out.given += t->uftrace.bytes - before;
	return rc;
}

static int begin(struct exporter *e)
{
	return uftrace_open(&((struct as_uftrace_tracer *)e)->uftrace, exporter_measures(e) ? 0 : e->options.directory);
}

static int finish(struct exporter *e)
{
	const struct recorded_run *run = recording_run(e->recording);
	struct buf command = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; run && i < run->command.n && !rc; i++)
		rc = buf_printf(&command, "%s%s", i ? " " : "", run->command.items[i]);
	if (!rc)
		rc = uftrace_finish(&((struct as_uftrace_tracer *)e)->uftrace,
		                    (struct data_text){command.data, command.len});
	buf_release(&command);
	return rc;
}

static int on_guest(struct guest *g)
{
	return guest_uftrace(g, &((struct as_uftrace_tracer *)g->e)->uftrace);
}

static void release(struct exporter *e)
{
	struct as_uftrace_tracer *t = (struct as_uftrace_tracer *)e;

	uftrace_release(&t->uftrace);
	byte_map_release(&t->lanes);
	byte_map_release(&t->calls);
	buf_release(&t->ends);
}

const struct exporter_ops exporter_uftrace = {
	.name = "uftrace",
	.binary = true,
	.directory = true,
	.size = sizeof(struct as_uftrace_tracer),
	.begin = begin,
	.event = on_event,
	.finish = finish,
	.guest = on_guest,
	.release = release,
};
