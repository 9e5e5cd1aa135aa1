/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run as a distributed trace: a span a process, below one for the run. Lines of OpenTelemetry's file format, each of
 * which a collector takes as it is (opentelemetry.io/docs/specs/otel/protocol/file-exporter). Names of attributes are
 * those of its semantic conventions for processes; what they have no name for begins with "exectrace.".
 */
#include "private.h"

#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/export/guest/guest.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/answer/otlp/spans.h>
#include <exectrace/answer/recording/identity.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/mix.h>
#include <exectrace/base/path.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/syscalls/names.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define EVENTS_MAX 128 /* of a span, as in OpenTelemetry's span limits */

/* What a recorded process did. */
struct did {
	struct buf events; /* objects, with commas between them */
	uint64_t n_events; /* that there were: more than EVENTS_MAX are not kept */
	uint64_t calls, errors, time;
};

struct otlp_trace {
	struct exporter base;  /* first */
	struct did *processes; /* by their numbers */
	size_t n_processes;
	struct otlp_lines lines;
	struct buf resource;
	uint64_t seed;        /* what spans are numbered by */
	uint64_t first, last; /* ns since 1970 of all that was seen */
};

/* --- Events --------------------------------------------------------------------------------------------------------
 */

static uint64_t when(const struct exporter *e, const struct recorded_event *event, uint64_t time)
{
	uint64_t realtime = recording_realtime(e->recording, event->file, time);

	return realtime ? realtime : time;
}

/* Begins an event of a process. NULL: it has too many; *rc: 0 or -ENOMEM. */
static struct buf *begin_event(struct did *did, const char *name, uint64_t time, int *rc)
{
	*rc = 0;
	if (did->n_events++ >= EVENTS_MAX)
		return NULL;
	*rc = buf_printf(&did->events, "%s{\"timeUnixNano\":\"%llu\",\"name\":\"%s\",", did->events.len ? "," : "",
	                 (unsigned long long)time, name);
	return *rc ? NULL : &did->events;
}

static int end_event(struct otlp *o)
{
	int rc = otlp_end(o);

	return rc ? rc : buf_putc(o->out, '}');
}

/* A call that failed. */
static int put_failure(struct exporter *e, struct did *did, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	const char *error = errno_name((int)-call->result);
	cleanup_buf struct buf text = BUF_INIT;
	struct otlp o;
	int rc;
	struct buf *out = begin_event(did, "syscall.failed", when(e, event, call->enter + call->duration), &rc);
	char name[CALL_NAME_MAX];

	if (!out)
		return rc;
	rc = call_print(&text, call, false);
	o = otlp_attributes(out);
	otlp_text(&o, "exectrace.syscall.name", call_name(call, name));
	otlp_text(&o, "error.type", error ? error : "_OTHER");
	otlp_text(&o, "exectrace.syscall.text", text.data);
	return rc ? rc : end_event(&o);
}

static int put_signal(struct exporter *e, struct did *did, const struct recorded_event *event)
{
	const struct data_signal *signal = &event->record->signal;
	char name[SIGNAL_NAME_MAX];
	struct otlp o;
	int rc;
	struct buf *out = begin_event(did, "signal", when(e, event, event->time), &rc);

	if (!out)
		return rc;
	o = otlp_attributes(out);
	otlp_text(&o, "exectrace.signal.name", signal_name(signal->number, name));
	if (signal->pid)
		otlp_number(&o, "exectrace.signal.sender", signal->pid);
	return end_event(&o);
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	struct otlp_trace *t = (struct otlp_trace *)e;
	bool call = event->record->type == DATA_SYSCALL;
	struct did *did;

	if (!event->thread)
		return 0;
	if (widen_array((void **)&t->processes, &t->n_processes, event->thread->process->number, sizeof(*t->processes)))
		return -ENOMEM;
	did = &t->processes[event->thread->process->number];
	if (event->record->type == DATA_SIGNAL)
		return put_signal(e, did, event);
	if (!call && event->record->type != DATA_UNFINISHED)
		return 0;
	did->calls++;
	did->time += event->record->syscall.duration;
	if (!call || !call_failed(&event->record->syscall))
		return 0;
	did->errors++;
	return put_failure(e, did, event);
}

/* --- Spans ---------------------------------------------------------------------------------------------------------
 */

/* Whose spans these are. */
static int describe(struct otlp_trace *t)
{
	const struct recorded_run *run = recording_run(t->base.recording);
	struct otlp o = otlp_attributes(&t->resource);
	char id[RECORDING_ID_TEXT];

	recording_id_print(recording_identify(t->base.recording), id);
	otlp_text(&o, "service.name", "exectrace");
	otlp_text(&o, "host.name", recording_host(t->base.recording));
	if (run) {
		otlp_text(&o, "os.type", "linux");
		otlp_text(&o, "os.description", run->system);
	}
	otlp_text(&o, "exectrace.run", id);
	otlp_text(&o, "exectrace.recording", recording_path(t->base.recording));
	t->lines = (struct otlp_lines){.out = &t->base.out.text, .version = run ? run->version : ""};
	return otlp_end(&o);
}

static int end_span(struct otlp_trace *t, const struct otlp_span *span, const struct did *did)
{
	struct otlp_events events = {NULL, 0};
	int rc;

	if (did) {
		events.text = did->events.data;
		events.dropped = did->n_events > EVENTS_MAX ? did->n_events - EVENTS_MAX : 0;
	}
	rc = otlp_span_end(&t->lines, span, &events);
	/* Whole lines only. */
	return rc || t->lines.spans ? rc : spool_drain(&t->base.out);
}

static uint64_t span_number(const struct otlp_trace *t, const struct tree_node *node)
{
	return mix(t->seed, node ? node->index + 1 : 0);
}

/* A process's own attributes. */
static int put_process(struct otlp_trace *t, const struct tree_node *node, const struct did *did)
{
	const struct recorded_process *recorded =
		node->process ? recording_process(t->base.recording, node->process - 1) : NULL;
	struct otlp o = otlp_attributes(&t->base.out.text);

	otlp_number(&o, "process.pid", node->pid);
	if (node->parent_pid)
		otlp_number(&o, "process.parent_pid", node->parent_pid);
	otlp_text(&o, "process.command_line", node->n_commands ? program_command(node) : NULL);
	if (recorded && *recorded->path) {
		otlp_text(&o, "process.executable.path", recorded->path);
		otlp_text(&o, "process.executable.name", path_name(recorded->path));
		otlp_words(&o, "process.command_args", &recorded->argv);
	}
	otlp_text(&o, "process.working_directory", node->cwd);
	if (node->end.known && WIFEXITED(node->end.wait_status))
		otlp_number(&o, "process.exit.code", WEXITSTATUS(node->end.wait_status));
	if (did) {
		otlp_number(&o, "exectrace.syscalls", (int64_t)did->calls);
		otlp_number(&o, "exectrace.syscalls.failed", (int64_t)did->errors);
		otlp_number(&o, "exectrace.syscalls.time", (int64_t)did->time);
	}
	return otlp_end(&o);
}

static int put_node(struct otlp_trace *t, const struct tree_node *node)
{
	const struct did *did =
		node->process && node->process - 1 < t->n_processes ? &t->processes[node->process - 1] : NULL;
	uint64_t start = node->start ? node->start : t->first;
	struct otlp_span span = {
		.number = span_number(t, node),
		.parent = span_number(t, node->parent),
		.start = start,
		.end = node->end.when > start              ? node->end.when
	               : node->end.when || t->last < start ? start
	                                                   : t->last,
		.known = node->end.known,
	};
	cleanup_buf struct buf name = BUF_INIT, why = BUF_INIT;
	int rc = program_name(&name, node);

	if (!rc)
		rc = exec_print_end(&why, &node->end);
	span.name = name.data;
	if (node->end.known && node->end.wait_status != 0)
		span.failed = why.data;
	if (!rc)
		rc = otlp_span_begin(&t->lines, &span);
	if (!rc)
		rc = put_process(t, node, did);
	return rc ? rc : end_span(t, &span, did);
}

/* The run itself: above all processes, and below what called it. */
static int put_run(struct otlp_trace *t)
{
	const struct recorded_run *run = recording_run(t->base.recording);
	const struct exec_end end = {.known = run && run->ended,
	                             .ended = run && run->ended,
	                             .wait_status = run ? run->status : 0};
	struct otlp_span span = {.number = span_number(t, NULL),
	                         .parent = t->lines.ids.parent,
	                         .start = t->first,
	                         .end = t->last,
	                         .known = end.known};
	cleanup_buf struct buf command = BUF_INIT, why = BUF_INIT;
	struct otlp o;
	int rc = run && run->command.n ? quote_shell_strv(&command, &run->command)
	                               : buf_puts(&command, recording_path(t->base.recording));

	if (!rc)
		rc = exec_print_end(&why, &end);
	span.name = command.data;
	if (end.known && end.wait_status != 0)
		span.failed = why.data;
	if (!rc)
		rc = otlp_span_begin(&t->lines, &span);
	if (rc)
		return rc;
	o = otlp_attributes(&t->base.out.text);
	if (run) {
		otlp_words(&o, "process.command_args", &run->command);
		otlp_text(&o, "process.working_directory", run->cwd);
	}
	rc = otlp_end(&o);
	return rc ? rc : end_span(t, &span, NULL);
}

/* --- All of it -----------------------------------------------------------------------------------------------------
 */

/* From when to when: that of the run, or of what is known of its processes. */
static void find_span(struct otlp_trace *t, const struct process_tree *tree)
{
	const struct recorded_run *run = recording_run(t->base.recording);
	const struct tree_node *node;

	for (node = process_tree_first(tree); node; node = process_tree_next(node)) {
		if (node->start && (!t->first || node->start < t->first))
			t->first = node->start;
		if (node->start > t->last)
			t->last = node->start;
		if (node->end.when > t->last)
			t->last = node->end.when;
	}
	if (!run || !run->start_realtime)
		return;
	t->first = run->start_realtime;
	if (run->end > run->start && t->first + (run->end - run->start) > t->last)
		t->last = t->first + (run->end - run->start);
}

/* The trace that the command was part of (TRACEPARENT in its environment), or one with the number of the run. */
static void find_ids(struct otlp_trace *t)
{
	static const char variable[] = "env TRACEPARENT=";
	const struct recorded_run *run = recording_run(t->base.recording);
	const struct recording_id id = recording_identify(t->base.recording);

	t->seed = mix(id.high, id.low);
	for (size_t i = 0; run && i < run->given.n; i++)
		if (!strncmp(run->given.items[i], variable, strlen(variable)) &&
		    otlp_traceparent(&t->lines.ids, run->given.items[i] + strlen(variable)))
			return;
	for (unsigned i = 0; i < 8; i++) {
		t->lines.ids.trace[i] = (uint8_t)(id.high >> (56 - 8 * i));
		t->lines.ids.trace[8 + i] = (uint8_t)(id.low >> (56 - 8 * i));
	}
}

static int finish(struct exporter *e)
{
	struct otlp_trace *t = (struct otlp_trace *)e;
	struct process_tree *tree;
	int rc = process_tree_new(&tree, e->recording, NULL, NULL);

	if (rc)
		return rc;
	find_span(t, tree);
	rc = describe(t);
	t->lines.resource = t->resource.data;
	find_ids(t);
	if (!rc)
		rc = put_run(t);
	for (const struct tree_node *node = process_tree_first(tree); node && !rc; node = process_tree_next(node))
		rc = put_node(t, node);
	process_tree_free(tree);
	return rc ? rc : otlp_lines_end(&t->lines);
}

static void release(struct exporter *e)
{
	struct otlp_trace *t = (struct otlp_trace *)e;

	for (size_t i = 0; i < t->n_processes; i++)
		buf_release(&t->processes[i].events);
	free(t->processes);
	buf_release(&t->resource);
}

const struct exporter_ops exporter_otlp = {
	.name = "otlp",
	.end = ".jsonl",
	.samples = true,
	.size = sizeof(struct otlp_trace),
	.event = on_event,
	.finish = finish,
	.release = release,
};
