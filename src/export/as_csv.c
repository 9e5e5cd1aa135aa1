/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row a call. */
#include "guest.h"

#include "text.h"
#include <exectrace/analyze/call.h>
#include <exectrace/base/quote.h>
#include <exectrace/syscalls/names.h>

struct table {
	struct exporter base; /* first */
	struct call_parts parts;
	struct buf cell;
};

/* The bytes of a cell, and the comma behind it. */
static int put_cell(struct buf *out, struct data_text text)
{
	int rc = quote_csv(out, text.bytes, text.n);

	return rc ? rc : buf_putc(out, ',');
}

static int put_args(struct table *t)
{
	int rc = 0;

	t->cell.len = 0;
	for (unsigned i = 0; i < t->parts.nargs && !rc; i++) {
		rc = i ? buf_puts(&t->cell, ", ") : 0;
		if (!rc)
			rc = buf_append(&t->cell, t->parts.args[i].text.bytes, t->parts.args[i].text.n);
	}
	return rc ? rc : put_cell(&t->base.out, (struct data_text){t->cell.data, t->cell.len});
}

static int put_stack(struct table *t, const struct recorded_event *event)
{
	const struct data_text *names;
	size_t n;
	int rc = exporter_stack(&t->base, event, &names, &n);

	t->cell.len = 0;
	for (size_t i = 0; i < n && !rc; i++) {
		rc = i ? buf_puts(&t->cell, " < ") : 0;
		if (!rc)
			rc = buf_append(&t->cell, names[i].bytes, names[i].n);
	}
	return rc ? rc : quote_csv(&t->base.out, t->cell.data, t->cell.len);
}

static int put_result(struct table *t, const struct data_syscall *call, bool unfinished)
{
	const char *error = call->error && !unfinished ? errno_name((int)-call->result) : NULL;
	int rc = 0;

	if (!unfinished)
		rc = buf_printf(&t->base.out, "%lld", call->error ? -1 : (long long)call->result);
	if (!rc)
		rc = buf_putc(&t->base.out, ',');
	if (!rc)
		rc = put_cell(&t->base.out, text_of(error));
	if (!rc && !unfinished && !call->error && !exporter_is_number(t->parts.result))
		rc = quote_csv(&t->base.out, t->parts.result.bytes, t->parts.result.n);
	return rc ? rc : buf_putc(&t->base.out, ',');
}

static int put_who(struct exporter *e, const struct recorded_thread *thread, uint64_t time)
{
	int rc = buf_printf(&e->out, "%llu,%u,%u,", (unsigned long long)time, thread->process->pid, thread->tid);

	return rc ? rc : put_cell(&e->out, text_of(thread->comm));
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	struct table *t = (struct table *)e;
	const struct data_syscall *call = &event->record->syscall;
	bool unfinished = event->record->type == DATA_UNFINISHED;
	int rc;

	if (event->record->type != DATA_SYSCALL && !unfinished)
		return 0;
	rc = call_take_apart(&t->parts, call, unfinished);
	if (!rc)
		rc = put_who(e, event->thread, recording_realtime(e->recording, event->file, call->enter));
	if (!rc)
		rc = put_cell(&e->out, t->parts.name);
	if (!rc)
		rc = put_args(t);
	if (!rc)
		rc = put_result(t, call, unfinished);
	if (!rc)
		rc = buf_printf(&e->out, "%llu,", (unsigned long long)call->duration);
	if (!rc)
		rc = put_stack(t, event);
	return rc ? rc : buf_putc(&e->out, '\n');
}

static int on_folded(struct exporter *e, const struct recorded_thread *thread, uint64_t calls, uint64_t time)
{
	int rc = put_who(e, thread, 0);

	return rc ? rc
	          : buf_printf(&e->out, "[folded],%llu calls,,,,%llu,\n", (unsigned long long)calls,
	                       (unsigned long long)time);
}

static int begin_calls(struct exporter *e)
{
	return buf_puts(&e->out, "time_ns,pid,tid,comm,call,arguments,return,error,result,duration_ns,stack\n");
}

/* The first row depends on what was recorded, which the first event tells. */
static int on_first(struct exporter *e, const struct recorded_event *event)
{
	(void)event;
	return exporter_position(e) ? 0 : begin_calls(e);
}

static int finish(struct exporter *e)
{
	return exporter_position(e) ? 0 : begin_calls(e);
}

static void release(struct exporter *e)
{
	struct table *t = (struct table *)e;

	call_parts_release(&t->parts);
	buf_release(&t->cell);
}

const struct exporter_ops exporter_csv = {
	.name = "csv",
	.size = sizeof(struct table),
	.process = on_first,
	.event = on_event,
	.folded = on_folded,
	.finish = finish,
	.guest = guest_csv,
	.release = release,
};
