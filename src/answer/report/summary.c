/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "summary.h"

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/calls/peers.h>
#include <exectrace/answer/recording/system_library.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/base/quote.h>
#include <exectrace/target/syscalls/names.h>
#include <stdio.h>
#include <string.h>

#define LINE 64u /* bytes */

static struct summary_row *new_row(struct summary *s)
{
	struct summary_row *row;

	if (grow_array((void **)&s->rows, s->n, &s->cap, sizeof(row)))
		return NULL;
	/* What is touched with each call is one line of the cache then. */
	row = aligned_alloc(LINE, (sizeof(*row) + LINE - 1) / LINE * LINE);
	if (row)
		*row = (struct summary_row){0};
	if (row)
		s->rows[s->n++] = row;
	return row;
}

/* The names of calls are few, and asked for with each call: those seen lately are found by number. */
static struct call_kind *kind_of(struct summary *s, const struct data_syscall *call)
{
	struct call_kind **recent = &s->recent[call->nr % RECENT], *kind = *recent;
	char name[32];

	if (kind && kind->nr == call->nr && kind->arch == call->arch)
		return kind;
	kind = idmap_get(&s->kinds, call->nr, call->arch);
	if (!kind) {
		const char *text = call_name(call, name);

		kind = calloc(1, sizeof(*kind));
		if (!kind || idmap_put(&s->kinds, call->nr, call->arch, kind)) {
			free(kind);
			return NULL;
		}
		kind->nr = call->nr;
		kind->arch = call->arch;
		if (pool_text(&s->texts, text, strlen(text), &kind->name, &kind->number))
			return NULL;
	}
	*recent = kind;
	return kind;
}

/* The row of a call and of what it is told apart by (NULL: nothing). `with`: the rows have the call. */
static struct summary_row *row_of(struct summary *s, const struct call_kind *kind, const char *what, bool with)
{
	uint32_t number = 0;
	struct summary_row *row;

	if (what && pool_text(&s->texts, what, strlen(what), &what, &number))
		return NULL;
	row = idmap_get(&s->by_text, number + (uint64_t)(what != NULL), with ? kind->number + UINT64_C(1) : 0);
	if (row)
		return row;
	row = new_row(s);
	if (!row ||
	    idmap_put(&s->by_text, number + (uint64_t)(what != NULL), with ? kind->number + UINT64_C(1) : 0, row))
		return NULL;
	row->call = with ? kind->name : NULL;
	row->what = what;
	return row;
}

static struct summary_row *call_row(struct summary *s, struct call_kind *kind)
{
	if (!kind->row)
		kind->row = row_of(s, kind, NULL, true);
	return kind->row;
}

struct summary_row *summary_process_row(struct summary *s, const struct recorded_process *p)
{
	struct summary_row *row;

	while (s->n_processes <= p->number) {
		if (grow_array((void **)&s->processes, s->n_processes, &s->cap_processes, sizeof(row)))
			return NULL;
		s->processes[s->n_processes++] = NULL;
	}
	if (s->processes[p->number])
		return s->processes[p->number];
	row = new_row(s);
	if (!row)
		return NULL;
	row->process = p;
	return s->processes[p->number] = row;
}

static struct summary_row *stack_row(struct summary *s, const struct call_kind *kind,
                                     const struct recorded_event *event)
{
	uint64_t sub = (uint64_t)event->file << 32 | kind->number, id = event->record->syscall.stack;
	struct summary_row *row = idmap_get(&s->by_stack, id, sub);
	cleanup_buf struct buf what = BUF_INIT;
	const struct recorded_frame *frames;
	size_t n;

	if (row)
		return row;
	if (recording_stack(s->recording, event, &frames, &n) || own_functions(&what, frames, n, s->depth))
		return NULL;
	row = row_of(s, kind, what.len ? what.data : "(no stack)", true);
	return row && !idmap_put(&s->by_stack, id, sub, row) ? row : NULL;
}

static struct summary_row *path_row(struct summary *s, const struct call_kind *kind, const struct data_syscall *call)
{
	cleanup_buf struct buf what = BUF_INIT;
	int rc = call_file(&what, call);

	if (rc)
		return rc == -ENOENT ? row_of(s, kind, "(no path)", false) : NULL;
	path_shorten(&what, s->dir);
	return row_of(s, kind, what.len ? what.data : "", false);
}

/* What the row of a call, an error and a file says. 0 or -ENOMEM. */
static int set_error(struct summary *s, struct summary_row *row, const char *name, const char *path)
{
	int rc = pool_text(&s->texts, name, strlen(name), &row->what, NULL);

	return rc ? rc : pool_text(&s->texts, path, strlen(path), &row->path, NULL);
}

static struct summary_row *error_row(struct summary *s, const struct call_kind *kind, const struct data_syscall *call)
{
	const char *name = is_errno(call->result) ? errno_name((int)-call->result) : NULL;
	cleanup_buf struct buf file = BUF_INIT, both = BUF_INIT;
	struct summary_row *row;
	const char *path;
	char number[32];

	if (!name) {
		snprintf(number, sizeof(number), "%lld", (long long)call->result);
		name = number;
	}
	if (call_file(&file, call) == -ENOMEM)
		return NULL;
	path_shorten(&file, s->dir);
	path = file.len ? file.data : "";
	if (buf_printf(&both, "%s  %s", name, path))
		return NULL;
	row = row_of(s, kind, both.data, true);
	return row && !row->path && set_error(s, row, name, path) ? NULL : row;
}

int summary_command(struct buf *out, const struct recorded_process *p)
{
	int rc = p->argv.n ? quote_shell_strv(out, &p->argv) : 0;

	if (!p->argv.n)
		rc = buf_puts(out, *p->path ? p->path : "?");
	return rc || p->execs ? rc : buf_puts(out, " (fork)");
}

static struct summary_row *command_row(struct summary *s, const struct call_kind *kind,
                                       const struct recorded_process *process)
{
	struct summary_row *row = idmap_get(&s->by_stack, process->number, process->execs);
	cleanup_buf struct buf what = BUF_INIT;

	if (row)
		return row;
	row = summary_command(&what, process) ? NULL : row_of(s, kind, what.data, false);
	return row && !idmap_put(&s->by_stack, process->number, process->execs, row) ? row : NULL;
}

static struct summary_row *find_row(struct summary *s, struct call_kind *kind, const struct recorded_event *event)
{
	switch (s->by) {
	case SUMMARY_CALL:
		return call_row(s, kind);
	case SUMMARY_PROCESS:
		return summary_process_row(s, event->thread->process);
	case SUMMARY_STACK:
		return stack_row(s, kind, event);
	case SUMMARY_PATH:
		return path_row(s, kind, &event->record->syscall);
	case SUMMARY_COMMAND:
		return command_row(s, kind, event->thread->process);
	default:
		return error_row(s, kind, &event->record->syscall);
	}
}

/* Counts something once for a row: a thread or a process, each by its number. 0 or -ENOMEM. */
static int count_once(struct summary *s, struct summary_row *row, uint64_t what, uint32_t *count)
{
	if (idmap_get(&s->callers, (uintptr_t)row, what))
		return 0;
	*count += 1;
	return idmap_put(&s->callers, (uintptr_t)row, what, row);
}

/* Counts who has made a call. 0 or -ENOMEM. */
static int add_caller(struct summary *s, struct summary_row *row, const struct recorded_thread *thread)
{
	int rc;

	/* Mostly it is the one of the call before. */
	if (row->thread == thread)
		return 0;
	row->thread = thread;
	rc = count_once(s, row, ((uint64_t)s->threads_before + thread->number) << 1, &row->own_threads);
	if (!rc)
		rc = count_once(s, row, ((uint64_t)s->processes_before + thread->process->number) << 1 | 1,
		                &row->own_processes);
	return rc;
}

static int add_to(struct summary *s, struct summary_row *row, const struct recorded_event *event, bool error)
{
	int rc = add_caller(s, row, event->thread);

	if (!rc)
		rc = add_caller(s, &s->all, event->thread);
	if (!row->first || event->time < row->first)
		row->first = event->time;
	if (event->time > row->last)
		row->last = event->time;
	if (event->time > s->last)
		s->last = event->time;
	return rc ? rc : call_stats_add(&row->stats, event->record->syscall.duration, error);
}

/* A call that did not return counts with the time up to its end. */
int summary_add(struct summary *s, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	struct summary_row *row;
	struct call_kind *kind;
	bool error;

	if (event->record->type != DATA_SYSCALL && event->record->type != DATA_UNFINISHED)
		return 0;
	error = event->record->type == DATA_SYSCALL && call_failed(call);
	if (s->by == SUMMARY_ERROR && !error)
		return 0;
	kind = kind_of(s, call);
	row = kind ? find_row(s, kind, event) : NULL;
	return row ? add_to(s, row, event, error) : -ENOMEM;
}

struct summary *summary_new(struct recording *r, enum summary_by by, unsigned depth)
{
	struct summary *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->recording = r;
	s->by = by;
	s->depth = depth;
	return s;
}

/* The span of a row's calls so far is kept: clocks of recordings have nothing to do with each other. */
static void join_row(struct summary_row *row)
{
	row->before += row->last - row->first;
	row->first = row->last = 0;
	row->thread = NULL;
}

void summary_leave(struct summary *s)
{
	s->before = summary_elapsed(s);
	s->threads_before += (uint32_t)recording_threads(s->recording);
	s->processes_before += (uint32_t)recording_processes(s->recording);
	s->recording = NULL;
	s->last = 0;
	idmap_release(&s->by_stack);
	idmap_release(&s->callers);
	for (size_t i = 0; i < s->n; i++)
		join_row(s->rows[i]);
	join_row(&s->all);
}

void summary_join(struct summary *s, struct recording *r)
{
	s->recording = r;
}

void summary_shorten(struct summary *s, const char *dir)
{
	s->dir = dir;
}

void summary_free(struct summary *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		call_stats_release(&s->rows[i]->stats);
		free(s->rows[i]);
	}
	for (size_t i = 0; i < s->kinds.cap; i++)
		free(s->kinds.slots[i].value);
	idmap_release(&s->kinds);
	idmap_release(&s->by_text);
	idmap_release(&s->by_stack);
	idmap_release(&s->callers);
	pool_release(&s->texts);
	call_stats_release(&s->all.stats);
	free(s->rows);
	free(s->processes);
	free(s->sorted);
	free(s);
}

const struct summary_row *summary_all(const struct summary *s)
{
	return &s->all;
}

uint64_t summary_elapsed(const struct summary *s)
{
	uint64_t start = s->recording ? recording_start(s->recording) : 0;

	return s->before + (s->last > start ? s->last - start : 0);
}

double summary_rate(const struct summary_row *row)
{
	uint64_t span = row->before + (row->last - row->first);

	return row->count < 2 || !span ? 0 : (double)(row->count - 1) * NS_PER_S / (double)span;
}
