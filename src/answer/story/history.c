/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/story/history.h>

#include "calls.h"
#include "failures.h"
#include "moves.h"
#include "opens.h"
#include "signals.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/quote.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define LAST_WAIT_AFTER (20 * NS_PER_MS)
#define COMMAND_KEPT 200u /* bytes of a command line */

/* --- Processes and threads ---------------------------------------------------------------------------------------- */

struct process_history *history_process(const struct history *h, uint32_t number)
{
	return number < h->n_processes ? h->processes[number] : NULL;
}

struct thread_history *history_thread(const struct history *h, uint32_t number)
{
	return number < h->n_threads ? h->threads[number] : NULL;
}

/* The parent's descriptors and directory, as they are where the child begins. */
static void inherit(struct history *h, struct process_history *p, const struct process_history *parent)
{
	p->cwd = parent->cwd;
	if (descriptors_copy(&p->descriptors, &parent->descriptors) || descriptors_copy(&p->closed, &parent->closed))
		h->err = -ENOMEM;
}

struct process_history *history_of(struct history *h, const struct recorded_process *process)
{
	struct process_history *p = history_process(h, process->number);

	if (p)
		return p;
	if (!widen_array((void **)&h->processes, &h->n_processes, process->number, sizeof(struct process_history *)))
		p = calloc(1, sizeof(*p));
	if (!p) {
		h->err = -ENOMEM;
		return NULL;
	}
	h->processes[process->number] = p;
	p->process = process;
	p->cwd = p->command = p->program = "";
	return p;
}

struct thread_history *history_of_thread(struct history *h, const struct recorded_thread *thread)
{
	struct thread_history *t = history_thread(h, thread->number);
	struct process_history *p;

	if (t)
		return t;
	if (!widen_array((void **)&h->threads, &h->n_threads, thread->number, sizeof(struct thread_history *)))
		t = calloc(1, sizeof(*t));
	if (!t) {
		h->err = -ENOMEM;
		return NULL;
	}
	h->threads[thread->number] = t;
	t->thread = thread;
	p = history_of(h, thread->process);
	if (!p)
		return NULL;
	t->sibling = p->threads;
	p->threads = t;
	if (thread->tid == thread->process->pid)
		p->first_thread = t;
	return t;
}

/* --- Texts -------------------------------------------------------------------------------------------------------- */

const char *history_text(struct history *h, const char *text, size_t n)
{
	uint32_t number = objects_number(&h->objects, text, n);

	if (number)
		return objects_at(&h->objects, number)->name;
	h->err = -ENOMEM;
	return "";
}

const char *history_command(struct history *h, const struct process_history *p)
{
	struct buf line = BUF_INIT;
	const char *text = "";

	if (p->process->argv.n)
		quote_shell_strv(&line, &p->process->argv);
	else
		buf_puts(&line, *p->process->path ? p->process->path : "?");
	if (line.err)
		h->err = line.err;
	else
		text = history_text(h, line.data, line.len < COMMAND_KEPT ? line.len : COMMAND_KEPT);
	buf_release(&line);
	return text;
}

/* Adds a path without its "." and "..", as links may make wrong, but names in messages do not. */
static void add_parts(struct buf *out, const char *path, size_t n)
{
	for (size_t at = 0; at < n;) {
		size_t end = at;

		while (end < n && path[end] != '/')
			end++;
		if (end - at == 2 && path[at] == '.' && path[at + 1] == '.') {
			while (out->len && out->data[--out->len] != '/')
				;
		} else if (end > at && !(end - at == 1 && path[at] == '.')) {
			buf_putc(out, '/');
			buf_append(out, path + at, end - at);
		}
		at = end + 1;
	}
}

const char *history_path(struct history *h, const struct process_history *p, const char *path, size_t n)
{
	struct buf full = BUF_INIT;
	const char *text = "";

	if (n && *path == '/') {
		add_parts(&full, path, n);
	} else if (*p->cwd == '/') {
		add_parts(&full, p->cwd, strlen(p->cwd));
		add_parts(&full, path, n);
	} else {
		buf_append(&full, path, n);
	}
	if (full.err)
		h->err = full.err;
	else
		text = full.len ? history_text(h, full.data, full.len) : "/";
	buf_release(&full);
	return text;
}

/* --- Events ------------------------------------------------------------------------------------------------------- */

static void on_thread(struct history *h, const struct recorded_event *event)
{
	const struct recorded_process *process = event->thread->process;
	bool fresh = !history_process(h, process->number);
	struct process_history *p = history_of(h, process), *parent = NULL;

	if (p && fresh && process->parent)
		parent = history_process(h, process->parent->number);
	if (parent)
		inherit(h, p, parent);
}

/* What the program before it wrote and failed at is not this one's. */
static void on_exec(struct history *h, const struct recorded_event *event)
{
	struct process_history *p = history_of(h, event->thread->process);

	if (!p)
		return;
	opens_close_on_exec(h, event->thread, event->time);
	if (p->first_thread && p->first_thread->last_calls)
		p->first_thread->last_calls->has_failed = false;
	moves_end(h, p);
	failures_release(p);
	accesses_release(&p->accesses);
	p->closes = (struct closes){0};
	for (size_t i = 0; i < OUTPUTS; i++) {
		buf_reset(&p->output[i], 0);
		p->wrote[i] = 0;
	}
}

/* A guest may end at any moment: what its threads did last tells why. */
static void keep_call(struct history *h, const struct recorded_event *event, bool unfinished)
{
	struct thread_history *t;

	if (recording_file(h->recording, event->file)->guest_clock == DATA_CLOCK_NONE)
		return;
	t = history_of_thread(h, event->thread);
	if (t && last_calls_take(&t->last_calls, &event->record->syscall, event->time, unfinished))
		h->err = -ENOMEM;
}

/* One that ended by itself has said why. */
static void forget_calls(struct process_history *p)
{
	for (struct thread_history *t = p->threads; t; t = t->sibling) {
		free(t->last_calls);
		t->last_calls = NULL;
	}
}

static void on_exit_of(struct history *h, const struct recorded_event *event)
{
	const struct data_exit *end = &event->record->exit;
	struct process_history *p = history_process(h, event->thread->process->number);

	signals_exit(h, event);
	if (end->tid != end->pid)
		return;
	opens_close_all(h, event->thread, event->time);
	if (!p)
		return;
	p->ended = true;
	opens_count_close(&p->closes);
	if (WIFEXITED(end->status) && !WEXITSTATUS(end->status))
		forget_calls(p);
	moves_end(h, p);
}

static void on_sample(struct history *h, const struct recorded_event *event)
{
	struct process_history *p = history_of(h, event->thread->process);

	h->samples++;
	if (p)
		p->sampled = true;
}

void history_event(struct history *h, const struct recorded_event *event)
{
	if (!event->thread || h->err)
		return;
	switch (event->record->type) {
	case DATA_SYSCALL:
		h->calls++;
		keep_call(h, event, false);
		calls_take(h, event, false);
		break;
	case DATA_UNFINISHED:
		h->calls++;
		keep_call(h, event, true);
		calls_take(h, event, true);
		break;
	case DATA_THREAD:
		on_thread(h, event);
		break;
	case DATA_SAMPLE:
		on_sample(h, event);
		break;
	case DATA_EXEC:
		on_exec(h, event);
		break;
	case DATA_SIGNAL:
		signals_take(h, event);
		break;
	case DATA_STOP:
		signals_stop(h, event);
		break;
	case DATA_EXIT:
		on_exit_of(h, event);
		break;
	default:
		break;
	}
}

const struct wait *thread_last_wait(const struct thread_history *t, uint64_t end, bool killed)
{
	size_t n = t ? t->n : 0;
	uint64_t length, after;

	while (n && t->waits[n - 1].kind == WAIT_CALL &&
	       (!killed || t->waits[n - 1].to - t->waits[n - 1].from < NS_PER_MS))
		n--;
	if (!n)
		return NULL;
	length = t->waits[n - 1].to - t->waits[n - 1].from;
	after = length / 2 > LAST_WAIT_AFTER ? length / 2 : LAST_WAIT_AFTER;
	return length >= NS_PER_MS && t->waits[n - 1].to + after >= end ? &t->waits[n - 1] : NULL;
}

void history_finish(struct history *h, uint64_t end)
{
	signals_finish(h, end);
	if (!h->err)
		moves_finish(h);
}

static void release_process(struct process_history *p)
{
	if (!p)
		return;
	descriptors_release(&p->descriptors);
	descriptors_release(&p->closed);
	descriptors_release(&p->exhausted);
	failures_release(p);
	accesses_release(&p->accesses);
	streams_release(&p->streams);
	for (size_t i = 0; i < OUTPUTS; i++)
		buf_release(&p->output[i]);
	free(p->hit.stack);
	free(p);
}

void history_release(struct history *h)
{
	for (size_t i = 0; i < h->n_processes; i++)
		release_process(h->processes[i]);
	for (size_t i = 0; i < h->n_threads; i++) {
		if (!h->threads[i])
			continue;
		free(h->threads[i]->waits);
		free(h->threads[i]->signals);
		free(h->threads[i]->stack);
		free(h->threads[i]->last_calls);
		free(h->threads[i]);
	}
	free(h->processes);
	free(h->threads);
	free(h->waited);
	free(h->limits);
	free(h->kills);
	free(h->grown);
	free(h->small);
	locks_release(&h->locks);
	streams_release(&h->streams);
	objects_release(&h->objects);
	call_parts_release(&h->parts);
	*h = (struct history){0};
}
