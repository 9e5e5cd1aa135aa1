/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "summary.h"

#include <errno.h>
#include <exectrace/answer/recording/call.h>
#include <exectrace/answer/recording/own.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
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
	struct data_text path;

	if (!call_path(call, &path))
		return row_of(s, kind, "(no path)", false);
	return buf_append(&what, path.bytes, path.n) ? NULL : row_of(s, kind, what.data ? what.data : "", false);
}

static struct summary_row *error_row(struct summary *s, const struct call_kind *kind, const struct data_syscall *call)
{
	const char *name = call->result < 0 && call->result > -4096 ? errno_name((int)-call->result) : NULL;
	char number[32];

	if (!name) {
		snprintf(number, sizeof(number), "%lld", (long long)call->result);
		name = number;
	}
	return row_of(s, kind, name, true);
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
	default:
		return error_row(s, kind, &event->record->syscall);
	}
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
	error = event->record->type == DATA_SYSCALL && call->error;
	if (s->by == SUMMARY_ERROR && !error)
		return 0;
	kind = kind_of(s, call);
	row = kind ? find_row(s, kind, event) : NULL;
	return row ? call_stats_add(&row->stats, call->duration, error) : -ENOMEM;
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
	pool_release(&s->texts);
	call_stats_release(&s->all);
	free(s->rows);
	free(s->processes);
	free(s->sorted);
	free(s);
}

const struct call_stats *summary_all(const struct summary *s)
{
	return &s->all;
}
