/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row a call, or a row a sample. */
#include "private.h"

#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/export/guest/guest.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/syscalls/names.h>

struct as_csv_table {
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

static int put_args(struct as_csv_table *t)
{
	int rc = 0;

	t->cell.len = 0;
	for (unsigned i = 0; i < t->parts.nargs && !rc; i++) {
		rc = i ? buf_puts(&t->cell, ", ") : 0;
		if (!rc)
			rc = buf_append(&t->cell, t->parts.args[i].text.bytes, t->parts.args[i].text.n);
	}
	return rc ? rc : put_cell(&t->base.out.text, (struct data_text){t->cell.data, t->cell.len});
}

static int put_stack(struct as_csv_table *t, const struct recorded_event *event)
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
	return rc ? rc : quote_csv(&t->base.out.text, t->cell.data, t->cell.len);
}

static int put_result(struct as_csv_table *t, const struct data_syscall *call, bool unfinished)
{
	const char *error = call->error && !unfinished ? errno_name((int)-call->result) : NULL;
	int rc = 0;

	if (!unfinished)
		rc = buf_printf(&t->base.out.text, "%lld", call->error ? -1 : (long long)call->result);
	if (!rc)
		rc = buf_putc(&t->base.out.text, ',');
	if (!rc)
		rc = put_cell(&t->base.out.text, text_of(error));
	if (!rc && !unfinished && !call->error && !exporter_is_number(t->parts.result))
		rc = quote_csv(&t->base.out.text, t->parts.result.bytes, t->parts.result.n);
	return rc ? rc : buf_putc(&t->base.out.text, ',');
}

/* The titles, before the first row. */
static int begin(struct exporter *e, bool samples)
{
	static const char calls[] = "time_ns,pid,tid,comm,call,arguments,return,error,result,duration_ns,stack\n";

	if (exporter_position(e))
		return 0;
	return buf_puts(&e->out.text, samples ? "time_ns,pid,tid,comm,cpu,weight_ns,stack\n" : calls);
}

static int put_who(struct exporter *e, const struct recorded_thread *thread, uint64_t time)
{
	int rc = buf_printf(&e->out.text, "%llu,%u,%u,", (unsigned long long)time, thread->process->pid, thread->tid);

	return rc ? rc : put_cell(&e->out.text, text_of(thread->comm));
}

static int on_call(struct as_csv_table *t, const struct recorded_event *event)
{
	struct exporter *e = &t->base;
	const struct data_syscall *call = &event->record->syscall;
	bool unfinished = event->record->type == DATA_UNFINISHED;
	int rc = call_take_apart(&t->parts, call, unfinished);

	if (!rc)
		rc = put_who(e, event->thread, recording_realtime(e->recording, event->file, call->enter));
	if (!rc)
		rc = put_cell(&e->out.text, t->parts.name);
	if (!rc)
		rc = put_args(t);
	if (!rc)
		rc = put_result(t, call, unfinished);
	if (!rc)
		rc = buf_printf(&e->out.text, "%llu,", (unsigned long long)call->duration);
	if (!rc)
		rc = put_stack(t, event);
	return rc ? rc : buf_putc(&e->out.text, '\n');
}

static int on_sample(struct as_csv_table *t, const struct recorded_event *event)
{
	struct exporter *e = &t->base;
	const struct data_sample *sample = &event->record->sample;
	int rc = put_who(e, event->thread, recording_realtime(e->recording, event->file, event->time));

	if (!rc)
		rc = buf_printf(&e->out.text, "%u,%llu,", (unsigned)sample->cpu, (unsigned long long)sample->weight);
	if (!rc)
		rc = put_stack(t, event);
	return rc ? rc : buf_putc(&e->out.text, '\n');
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	bool sample = event->record->type == DATA_SAMPLE;
	int rc;

	if (!sample && event->record->type != DATA_SYSCALL && event->record->type != DATA_UNFINISHED)
		return 0;
	rc = begin(e, sample);
	if (rc)
		return rc;
	return sample ? on_sample((struct as_csv_table *)e, event) : on_call((struct as_csv_table *)e, event);
}

static int on_folded(struct exporter *e, const struct recorded_thread *thread, uint64_t calls, uint64_t time)
{
	int rc = begin(e, false);

	if (!rc)
		rc = put_who(e, thread, 0);
	return rc ? rc
	          : buf_printf(&e->out.text, "[folded],%llu calls,,,,%llu,\n", (unsigned long long)calls,
	                       (unsigned long long)time);
}

static int finish(struct exporter *e)
{
	return begin(e, false);
}

static void release(struct exporter *e)
{
	struct as_csv_table *t = (struct as_csv_table *)e;

	call_parts_release(&t->parts);
	buf_release(&t->cell);
}

const struct exporter_ops exporter_csv = {
	.name = "csv",
	.end = ".csv",
	.timed = true,
	.titled = true,
	.samples = true,
	.alone = true,
	.size = sizeof(struct as_csv_table),
	.event = on_event,
	.folded = on_folded,
	.finish = finish,
	.guest = guest_csv,
	.release = release,
};
