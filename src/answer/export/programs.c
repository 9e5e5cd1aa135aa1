/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "programs.h"

#include <errno.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/path.h>
#include <exectrace/base/quote.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of tracks. Those of threads are below. */
#define TRACK_PROCESS (1ull << 40) /* and the number of a recorded process */
#define TRACK_PID (1ull << 41)     /* and the pid of another one */

/* A program of execs.jsonl. */
struct ran_program {
	uint32_t pid;
	uint64_t begin, end;
	char *name, *command, *status;
};

struct programs_span {
	uint64_t track;
	uint64_t begin, end;
	const char *name, *command, *status; /* status: NULL while it is not known */
};

static int add_slice(struct ran_programs *p, const struct programs_span *span)
{
	const struct export_options *options = &p->e->options;
	struct track_note notes[2] = {{.name = "command", .text = text_of(span->command)}};
	struct track_slice slice = {
		.track = span->track,
		.begin = span->begin > options->from ? span->begin : options->from,
		.end = span->end < options->to ? span->end : options->to,
		.category = "program",
		.name = text_of(span->name),
		.notes = notes,
		.nnotes = 1,
	};

	if (slice.begin > slice.end)
		return 0;
	if (span->status)
		notes[slice.nnotes++] = (struct track_note){.name = "status", .text = text_of(span->status)};
	return tracks_slice(p->tracks, &slice);
}

/* --- Recorded processes ------------------------------------------------------------------------------------------- */

static int make_room(struct ran_programs *p, size_t number)
{
	return widen_array((void **)&p->running, &p->n_running, number, sizeof(*p->running));
}

/* A child that has executed nothing yet runs what its parent does. */
static int name_of(const struct recorded_thread *thread, char **name)
{
	const struct recorded_process *process = thread->process;
	const char *what = *process->path ? path_name(process->path) : *thread->comm ? thread->comm : "?";

	return asprintf(name, "%s%s", what, process->execs || process->picked ? "" : " (fork)") < 0 ? -ENOMEM : 0;
}

static void forget(struct running *running)
{
	free(running->name);
	free(running->command);
	running->name = running->command = NULL;
	running->known = true;
}

static int begin_program(struct running *running, const struct recorded_thread *thread, uint64_t time)
{
	cleanup_buf struct buf command = BUF_INIT;
	int rc = quote_shell_strv(&command, &thread->process->argv);

	forget(running);
	running->since = time;
	if (!rc)
		rc = name_of(thread, &running->name);
	running->command = rc ? NULL : buf_steal(&command);
	return !rc && !running->command ? -ENOMEM : rc;
}

/* The track is named by what has just been executed there, or else by what was inherited. */
static int describe(struct ran_programs *p, const struct recorded_process *process)
{
	cleanup_buf struct buf words = BUF_INIT;
	const char *name = process->execs ? path_name(process->path) : p->running[process->number].name;
	int rc = 0;

	for (size_t i = 0; i < process->argv.n && !rc; i++)
		rc = buf_append(&words, process->argv.items[i], strlen(process->argv.items[i]) + 1);
	return rc ? rc
	          : tracks_process(p->tracks, TRACK_PROCESS + process->number, process->pid, text_of(name),
	                           (struct data_text){words.data, words.len});
}

static int end_program(struct ran_programs *p, const struct recorded_process *process, uint64_t time)
{
	struct running *running = &p->running[process->number];
	const struct exec_end end = {.known = process->ended, .wait_status = process->status, .ended = process->ended};
	cleanup_buf struct buf status = BUF_INIT;
	struct programs_span span = {
		TRACK_PROCESS + process->number, running->since, time, running->name, running->command, NULL};

	if (process->ended && exec_print_end(&status, &end))
		return -ENOMEM;
	span.status = status.data;
	return add_slice(p, &span);
}

static int on_exec_record(struct ran_programs *p, const struct recorded_thread *thread, uint64_t time)
{
	const struct recorded_process *process = thread->process;
	struct running *running = &p->running[process->number];
	/* What is picked as it executes a program is there from that on; what was attached to may do so later. */
	bool is_first = process->picked && process->execs == 1 && !running->called;
	int rc = describe(p, process);

	if (!rc && running->known && !is_first)
		rc = end_program(p, process, time);
	return rc ? rc : begin_program(running, thread, is_first ? process->start : time);
}

static int on_end(struct ran_programs *p, const struct recorded_process *process, uint64_t time)
{
	struct running *running = &p->running[process->number];
	int rc = process->execs ? 0 : describe(p, process);

	running->closed = true;
	return rc ? rc : end_program(p, process, time);
}

int programs_event(struct ran_programs *p, const struct recorded_event *event)
{
	const struct recorded_thread *thread = event->thread;
	const struct recorded_process *process = thread->process;
	struct running *running;
	int rc = make_room(p, process->number);

	if (event->time > p->last)
		p->last = event->time;
	if (rc)
		return rc;
	if (event->record->type == DATA_EXEC)
		return on_exec_record(p, thread, event->time);
	running = &p->running[process->number];
	/* The name of what has executed nothing comes behind its beginning. */
	if (!running->known || (event->record->type == DATA_COMM && !process->execs && thread->tid == process->pid))
		rc = begin_program(running, thread, process->start);
	if (rc)
		return rc;
	running->called |= event->record->type == DATA_SYSCALL;
	if (event->record->type == DATA_EXIT && process->ended && !running->closed)
		return on_end(p, process, event->time);
	return 0;
}

static int finish_recorded(struct ran_programs *p)
{
	size_t n = recording_processes(p->e->recording);
	int rc = 0;

	for (size_t i = 0; i < n && i < p->n_running && !rc; i++) {
		const struct recorded_process *process = recording_process(p->e->recording, i);

		if (p->running[i].known && !p->running[i].closed)
			rc = on_end(p, process, process->ended ? process->end : p->last);
		if (!rc)
			rc = spool_drain(&p->e->out);
	}
	return rc;
}

/* --- Processes of execs.jsonl ------------------------------------------------------------------------------------- */

static struct ran_program *new_program(struct ran_programs *p)
{
	if (grow_array((void **)&p->others, p->n_others, &p->cap_others, sizeof(*p->others)))
		return NULL;
	return &p->others[p->n_others++];
}

int programs_exec(struct ran_programs *p, const struct exec_record *rec, const struct exec_end *end)
{
	cleanup_buf struct buf command = BUF_INIT, status = BUF_INIT;
	const char *path = rec->path ? rec->path : rec->argv.n ? rec->argv.items[0] : "?";
	struct ran_program *program;

	if (!rec->when_wall)
		return 0;
	program = new_program(p);
	if (!program)
		return -ENOMEM;
	*program = (struct ran_program){.pid = (uint32_t)rec->pid, .begin = exporter_monotonic(p->e, rec->when_wall)};
	program->end = end->when ? exporter_monotonic(p->e, end->when) : UINT64_MAX;
	program->name = strdup(path_name(path));
	if (!program->name || exec_print_cmdline(&command, rec, 0) || exec_print_end(&status, end))
		return -ENOMEM;
	program->command = buf_steal(&command);
	program->status = buf_steal(&status);
	if (end->when && program->end > p->last)
		p->last = program->end;
	return program->command && program->status ? 0 : -ENOMEM;
}

static int by_pid_and_begin(const void *a, const void *b)
{
	const struct ran_program *one = a, *two = b;

	if (one->pid != two->pid)
		return one->pid < two->pid ? -1 : 1;
	return one->begin < two->begin ? -1 : one->begin > two->begin;
}

static int process_by_pid_and_start(const void *a, const void *b)
{
	const struct recorded_process *one = *(const struct recorded_process *const *)a;
	const struct recorded_process *two = *(const struct recorded_process *const *)b;

	if (one->pid != two->pid)
		return one->pid < two->pid ? -1 : 1;
	return one->start < two->start ? -1 : one->start > two->start;
}

static int sort_recorded(struct ran_programs *p)
{
	size_t n = recording_processes(p->e->recording);

	p->sorted = calloc(n + 1, sizeof(*p->sorted));
	if (!p->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		p->sorted[i] = recording_process(p->e->recording, i);
	qsort(p->sorted, n, sizeof(*p->sorted), process_by_pid_and_start);
	return 0;
}

/* The first recorded process of its pid that ends after `program` begins; NULL: none. */
static const struct recorded_process *recorded_of(const struct ran_programs *p, const struct ran_program *program)
{
	size_t low = 0, high = recording_processes(p->e->recording);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct recorded_process *process = p->sorted[middle];

		if (process->pid < program->pid ||
		    (process->pid == program->pid && process->ended && process->end <= program->begin))
			low = middle + 1;
		else
			high = middle;
	}
	return p->sorted[low] && p->sorted[low]->pid == program->pid ? p->sorted[low] : NULL;
}

/* next: the beginning of what the same pid runs next. */
static int add_other(struct ran_programs *p, const struct ran_program *program, uint64_t next)
{
	const struct recorded_process *recorded = recorded_of(p, program);
	struct programs_span span = {TRACK_PID + program->pid, program->begin, program->end, program->name,
	                             program->command,         program->status};
	int rc = 0;

	if (span.end > p->last)
		span.end = p->last > span.begin ? p->last : span.begin;
	if (span.end > next) {
		span.end = next;
		span.status = NULL;
	}
	if (recorded && recorded->start < span.end) {
		/* The record of a process that was picked begins with an exec, which is this one. */
		if (recorded->start <= span.begin || (recorded->picked && next > recorded->start))
			return 0;
		span.end = recorded->start;
		span.status = NULL;
	}
	rc = tracks_process(p->tracks, span.track, program->pid, text_of(program->name), (struct data_text){0});
	return rc ? rc : add_slice(p, &span);
}

static int finish_others(struct ran_programs *p)
{
	int rc = sort_recorded(p);

	if (p->n_others)
		qsort(p->others, p->n_others, sizeof(*p->others), by_pid_and_begin);
	for (size_t i = 0; i < p->n_others && !rc; i++) {
		bool again = i + 1 < p->n_others && p->others[i + 1].pid == p->others[i].pid;

		rc = add_other(p, &p->others[i], again ? p->others[i + 1].begin : UINT64_MAX);
		if (!rc)
			rc = spool_drain(&p->e->out);
	}
	return rc;
}

int programs_finish(struct ran_programs *p)
{
	int rc = finish_recorded(p);

	return rc ? rc : finish_others(p);
}

void programs_release(struct ran_programs *p)
{
	for (size_t i = 0; i < p->n_running; i++)
		forget(&p->running[i]);
	free(p->running);
	for (size_t i = 0; i < p->n_others; i++) {
		free(p->others[i].name);
		free(p->others[i].command);
		free(p->others[i].status);
	}
	free(p->others);
	free(p->sorted);
}
