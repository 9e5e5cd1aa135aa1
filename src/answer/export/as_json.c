/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One object an event: the keys are those of `trace --format=json`, and more. A key has one type wherever it is there
 * (the table of exectrace-export(1)), so that databases take many recordings as one table.
 */
#include "private.h"

#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/export/guest/guest.h>
#include <exectrace/answer/format/byte_map.h>
#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/target/syscalls/names.h>
#include <stdio.h>
#include <sys/wait.h>

struct json {
	struct exporter base; /* first */
	struct call_parts parts;
	struct byte_map stacks; /* by the address of their frames: the place in `texts`, and 1 */
	struct buf texts;       /* stacks as JSON, each ended by a NUL */
};

static void head(struct jsonl *j, struct exporter *e, const struct recorded_event *event, uint64_t time)
{
	const struct recorded_thread *thread = event->thread;
	uint64_t realtime = recording_realtime(e->recording, event->file, time);

	exporter_json_begin(e, j);
	if (realtime)
		jsonl_unsigned(j, "t", realtime);
	if (!thread)
		return;
	jsonl_unsigned(j, "pid", thread->process->pid);
	jsonl_unsigned(j, "tid", thread->tid);
	jsonl_string(j, "comm", thread->comm);
}

static void put_args(struct jsonl *j, const struct call_parts *parts)
{
	jsonl_array(j, "args");
	for (unsigned i = 0; i < parts->nargs; i++)
		jsonl_item(j, parts->args[i].text);
	jsonl_array_end(j);
}

static void put_result(struct jsonl *j, const struct data_syscall *call, const struct call_parts *parts)
{
	const char *name = call->error ? errno_name((int)-call->result) : NULL;
	char number[24];

	snprintf(number, sizeof(number), "%lld", -(long long)call->result);
	jsonl_number(j, "ret", call->error ? -1 : call->result);
	if (name)
		jsonl_string(j, "err", name);
	else if (call->error)
		jsonl_string(j, "err", number);
	else if (!exporter_is_number(parts->result))
		jsonl_text(j, "result", parts->result);
}

/* A stack as an array of the names of its functions. */
static int stack_text(struct json *json, const struct recorded_event *event, uint64_t *place)
{
	struct jsonl j = {.out = &json->texts, .valid = true};
	const struct data_text *names;
	size_t n, at = json->texts.len;
	int rc = exporter_stack(&json->base, event, &names, &n);

	if (rc)
		return rc;
	jsonl_list(&j);
	for (size_t i = 0; i < n; i++)
		jsonl_item(&j, names[i]);
	jsonl_array_end(&j);
	if (!j.err)
		j.err = buf_putc(&json->texts, '\0');
	if (!j.err)
		*place = at + 1;
	return j.err;
}

static int put_stack(struct jsonl *j, struct json *json, const struct recorded_event *event)
{
	const struct recorded_frame *frames = NULL;
	uint64_t *place;
	size_t n;
	int rc = recording_stack(json->base.recording, event, &frames, &n);

	if (rc || !n)
		return rc;
	rc = byte_map_find(&json->stacks, &frames, sizeof(frames), &place);
	if (!rc && !*place)
		rc = stack_text(json, event, place);
	if (!rc)
		jsonl_json(j, "stack", text_of(json->texts.data + *place - 1));
	return rc;
}

static int put_call(struct jsonl *j, struct exporter *e, const struct recorded_event *event)
{
	struct call_parts *parts = &((struct json *)e)->parts;
	const struct data_syscall *call = &event->record->syscall;
	bool unfinished = event->record->type == DATA_UNFINISHED;
	int rc = call_take_apart(parts, call, unfinished);

	if (rc)
		return rc;
	head(j, e, event, call->enter);
	jsonl_string(j, "ph", "sys");
	jsonl_text(j, "name", parts->name);
	put_args(j, parts);
	if (unfinished)
		jsonl_bool(j, "unfinished", true);
	else
		put_result(j, call, parts);
	jsonl_unsigned(j, "dur", call->duration);
	return put_stack(j, (struct json *)e, event);
}

static void put_signal(struct jsonl *j, const struct data_signal *signal)
{
	char name[SIGNAL_NAME_MAX], address[24];

	jsonl_string(j, "ph", "signal");
	jsonl_string(j, "signal", signal_name(signal->number, name));
	jsonl_number(j, "code", signal->code);
	if (signal->pid)
		jsonl_unsigned(j, "sender", signal->pid);
	snprintf(address, sizeof(address), "%#llx", (unsigned long long)signal->address);
	if (signal->address)
		jsonl_string(j, "address", address);
}

static void put_stop(struct jsonl *j, const struct data_stop *stop)
{
	char name[SIGNAL_NAME_MAX];

	jsonl_string(j, "ph", "stop");
	jsonl_string(j, "signal", signal_name(stop->number, name));
}

static void put_status(struct jsonl *j, int status)
{
	char name[SIGNAL_NAME_MAX];

	if (WIFEXITED(status)) {
		jsonl_number(j, "status", WEXITSTATUS(status));
	} else if (WIFSIGNALED(status)) {
		jsonl_string(j, "signal", signal_name(WTERMSIG(status), name));
		jsonl_bool(j, "core", WCOREDUMP(status));
	}
}

static void put_words(struct jsonl *j, const struct strv *argv)
{
	jsonl_array(j, "argv");
	for (size_t i = 0; i < argv->n; i++)
		jsonl_item(j, text_of(argv->items[i]));
	jsonl_array_end(j);
}

static void put_lost(struct jsonl *j, const struct data_lost *lost)
{
	jsonl_string(j, "ph", "lost");
	jsonl_unsigned(j, "count", lost->count);
	if (lost->text.n)
		jsonl_text(j, "why", lost->text);
}

static int put_sample(struct jsonl *j, struct exporter *e, const struct recorded_event *event)
{
	const struct data_sample *sample = &event->record->sample;

	head(j, e, event, event->time);
	jsonl_string(j, "ph", "sample");
	jsonl_unsigned(j, "cpu", sample->cpu);
	jsonl_unsigned(j, "weight", sample->weight);
	if (sample->flags & DATA_SAMPLE_CUT)
		jsonl_bool(j, "cut", true);
	return put_stack(j, (struct json *)e, event);
}

/* What is not a call. */
static void put_other(struct jsonl *j, const struct recorded_event *event)
{
	const struct data_event *record = event->record;

	switch (record->type) {
	case DATA_SIGNAL:
		put_signal(j, &record->signal);
		break;
	case DATA_STOP:
		put_stop(j, &record->stop);
		break;
	case DATA_THREAD:
		jsonl_string(j, "ph", record->thread.tid == record->thread.pid ? "process" : "thread");
		jsonl_unsigned(j, "parent", record->thread.parent);
		break;
	case DATA_EXEC:
		jsonl_string(j, "ph", "exec");
		jsonl_string(j, "path", event->thread->process->path);
		put_words(j, &event->thread->process->argv);
		break;
	case DATA_COMM:
		jsonl_string(j, "ph", "comm");
		break;
	case DATA_EXIT:
		jsonl_string(j, "ph", "end");
		put_status(j, record->exit.status);
		break;
	case DATA_LOST:
		put_lost(j, &record->lost);
		break;
	default:
		jsonl_string(j, "ph", "note");
		jsonl_text(j, "text", record->note);
		break;
	}
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	struct jsonl j;
	int rc = 0;

	switch (event->record->type) {
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
		rc = put_call(&j, e, event);
		break;
	case DATA_SAMPLE:
		rc = put_sample(&j, e, event);
		break;
	case DATA_SIGNAL:
	case DATA_STOP:
	case DATA_THREAD:
	case DATA_EXEC:
	case DATA_COMM:
	case DATA_EXIT:
	case DATA_LOST:
	case DATA_NOTE:
		head(&j, e, event, event->time);
		put_other(&j, event);
		rc = put_stack(&j, (struct json *)e, event);
		break;
	default:
		return 0;
	}
	return rc ? rc : jsonl_end(&j);
}

static int on_exec(void *ctx, const struct exec_record *rec, const struct exec_end *end)
{
	struct exporter *e = ctx;
	struct jsonl j;

	exporter_json_begin(e, &j);
	if (rec->when_wall)
		jsonl_unsigned(&j, "t", rec->when_wall);
	jsonl_number(&j, "pid", rec->pid);
	jsonl_string(&j, "ph", "program");
	if (rec->have & EXEC_IDS)
		jsonl_number(&j, "parent", rec->ppid);
	if (rec->path)
		jsonl_string(&j, "path", rec->path);
	if (rec->have & EXEC_ARGV)
		put_words(&j, &rec->argv);
	if (rec->cwd)
		jsonl_string(&j, "cwd", rec->cwd);
	if (end->known)
		put_status(&j, end->wait_status);
	if (end->when && rec->when_wall && end->when >= rec->when_wall)
		jsonl_unsigned(&j, "dur", end->when - rec->when_wall);
	return jsonl_end(&j) ? j.err : spool_drain(&e->out);
}

/* What was run, as the first line. */
static int begin(struct exporter *e)
{
	const struct recorded_run *run = recording_run(e->recording);
	struct jsonl j;

	if (!run)
		return 0;
	exporter_json_begin(e, &j);
	if (run->start_realtime)
		jsonl_unsigned(&j, "t", run->start_realtime);
	jsonl_string(&j, "ph", "run");
	jsonl_string(&j, "version", run->version);
	put_words(&j, &run->command);
	jsonl_string(&j, "cwd", run->cwd);
	jsonl_string(&j, "system", run->system);
	if (run->ended)
		put_status(&j, run->status);
	if (run->end > run->start)
		jsonl_unsigned(&j, "dur", run->end - run->start);
	return jsonl_end(&j);
}

static int on_folded(struct exporter *e, const struct recorded_thread *thread, uint64_t calls, uint64_t time)
{
	struct jsonl j;

	exporter_json_begin(e, &j);
	jsonl_unsigned(&j, "pid", thread->process->pid);
	jsonl_unsigned(&j, "tid", thread->tid);
	jsonl_string(&j, "comm", thread->comm);
	jsonl_string(&j, "ph", "folded");
	jsonl_unsigned(&j, "count", calls);
	jsonl_unsigned(&j, "dur", time);
	return jsonl_end(&j);
}

static void release(struct exporter *e)
{
	struct json *json = (struct json *)e;

	call_parts_release(&json->parts);
	byte_map_release(&json->stacks);
	buf_release(&json->texts);
}

const struct exporter_ops exporter_json = {
	.name = "json",
	.end = ".jsonl",
	.timed = true,
	.samples = true,
	.size = sizeof(struct json),
	.begin = begin,
	.event = on_event,
	.exec = on_exec,
	.folded = on_folded,
	.guest = guest_json,
	.release = release,
};
