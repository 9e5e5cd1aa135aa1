/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "signals.h"

#include <errno.h>
#include <exectrace/answer/recording/system_library.h>
#include <exectrace/base/grow.h>
#include <signal.h>
#include <stdlib.h>

#define STACK_MAX 8 /* functions of a stack */

char *signals_stack(struct history *h, const struct recorded_event *event)
{
	const struct recorded_frame *frames;
	struct buf text = BUF_INIT;
	size_t n;
	int rc = recording_stack(h->recording, event, &frames, &n);
	char *stack;

	if (!rc && n)
		rc = own_functions(&text, frames, n, STACK_MAX);
	stack = text.len ? buf_steal(&text) : NULL;
	buf_release(&text);
	if (rc && !h->err)
		h->err = rc;
	return stack;
}

/* It goes on with SIGCONT, or is killed. */
static void stop_ends(struct history *h, struct thread_history *t, uint64_t time, bool at_end)
{
	if (grow_array((void **)&t->waits, t->n, &t->cap, sizeof(*t->waits))) {
		h->err = -ENOMEM;
		return;
	}
	t->waits[t->n++] =
		(struct wait){.from = t->stopped, .to = time, .kind = WAIT_STOPPED, .at_end = at_end, .call = ""};
	t->stopped = 0;
}

void signals_stop(struct history *h, const struct recorded_event *event)
{
	struct thread_history *t = history_of_thread(h, event->thread);

	if (t && !t->stopped)
		t->stopped = event->time;
}

void signals_exit(struct history *h, const struct recorded_event *event)
{
	struct thread_history *t = history_thread(h, event->thread->number);

	if (t && t->stopped)
		stop_ends(h, t, event->time, true);
}

void signals_finish(struct history *h, uint64_t end)
{
	for (size_t i = 0; i < h->n_threads && !h->err; i++) {
		struct thread_history *t = h->threads[i];

		if (!t || !t->stopped)
			continue;
		stop_ends(h, t, end, false);
		if (!h->err)
			t->waits[t->n - 1].unfinished = true;
	}
}

/* How many frames a stack has, and how many of them are of the function that has most. */
static void measure(struct history *h, const struct recorded_event *event, struct signal_place *hit)
{
	const struct recorded_frame *frames;
	size_t n;

	if (recording_stack(h->recording, event, &frames, &n))
		return;
	hit->frames = (unsigned)n;
	for (size_t i = 0; i < n; i++) {
		unsigned same = 0;

		for (size_t j = 0; j < n; j++)
			same += frames[j].function == frames[i].function;
		if (same > hit->same)
			hit->same = same;
	}
}

/* Where it met the process, unless it is one that meets it wherever it is. */
static void note_place(struct history *h, const struct recorded_event *event)
{
	const struct data_signal *signal = &event->record->signal;
	struct process_history *p = history_of(h, event->thread->process);

	if (!p || (signal->code <= 0 && !signal->stack))
		return;
	free(p->hit.stack);
	p->hit = (struct signal_place){
		.number = signal->number,
		.code = signal->code,
		.address = signal->address,
		.stack = signals_stack(h, event),
	};
	if (signal->number == SIGSEGV)
		measure(h, event, &p->hit);
}

void signals_take(struct history *h, const struct recorded_event *event)
{
	const struct data_signal *signal = &event->record->signal;
	struct thread_history *t = history_of_thread(h, event->thread);

	if (!t)
		return;
	if (grow_array((void **)&t->signals, t->n_signals, &t->cap_signals, sizeof(*t->signals))) {
		h->err = -ENOMEM;
		return;
	}
	if (t->stopped && signal->number == SIGCONT)
		stop_ends(h, t, event->time, false);
	t->signals[t->n_signals++] = (struct signal_got){
		.time = event->time,
		.pid = signal->code <= 0 || signal->number == SIGCHLD ? signal->pid : 0,
		.number = signal->number,
	};
	note_place(h, event);
}
