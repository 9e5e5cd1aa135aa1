/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits.h"

#include <errno.h>
#include <exectrace/answer/calls/strings.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/kerrno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIFO_MIN NS_PER_MS /* of reads from what is no regular file: it may be a FIFO */
#define OUTPUT_KEPT 2048u  /* bytes of what a process wrote last */

static bool is_interrupted(const struct data_syscall *call)
{
	return call->error && (call->result == -EINTR || is_restart(call->result));
}

/* The wait of a call that a signal without a handler has interrupted, and that is made again: it is one. */
static struct wait *goes_on(const struct taken *c, enum wait_kind kind)
{
	struct thread_history *t = c->t;
	struct wait *wait = t->n && t->restarting == (uint64_t)c->call->nr + 1 ? &t->waits[t->n - 1] : NULL;

	if (!wait || wait->kind != kind || !wait->interrupted)
		return NULL;
	wait->to = c->event->time;
	wait->interrupted = is_interrupted(c->call);
	wait->unfinished = c->unfinished;
	wait->first = (uint32_t)c->h->n_waited;
	wait->n = 0;
	return wait;
}

struct wait *waits_add(const struct taken *c, enum wait_kind kind)
{
	const struct data_syscall *call = c->call;
	struct thread_history *t = c->t;
	struct wait *wait;

	if (c->h->err)
		return NULL;
	wait = goes_on(c, kind);
	if (wait)
		return wait;
	/* It was attached to in a call that goes on: that begins here. */
	if (call->duration < WAIT_MIN && !c->unfinished && !(call->error && call->result == -ERESTART_RESTARTBLOCK))
		return NULL;
	if (grow_array((void **)&t->waits, t->n, &t->cap, sizeof(*t->waits))) {
		c->h->err = -ENOMEM;
		return NULL;
	}
	wait = &t->waits[t->n++];
	*wait = (struct wait){.from = c->event->time - call->duration, .to = c->event->time, .kind = kind};
	wait->interrupted = is_interrupted(call);
	wait->unfinished = c->unfinished;
	wait->call = history_text(c->h, c->name, strlen(c->name));
	wait->first = (uint32_t)c->h->n_waited;
	return wait;
}

void waits_object(const struct taken *c, struct wait *wait, uint32_t object)
{
	struct history *h = c->h;

	if (!wait || !object)
		return;
	if (h->n_waited == UINT32_MAX ||
	    grow_array((void **)&h->waited, h->n_waited, &h->cap_waited, sizeof(*h->waited))) {
		h->err = -ENOMEM;
		return;
	}
	h->waited[h->n_waited++] = object;
	wait->n++;
}

void waits_wake(const struct taken *c, uint32_t object, enum wake_kind kind)
{
	const struct wake w = {c->event->time - c->call->duration, c->event->time, c->event->thread->number, kind};

	if (object && !c->h->err && (!taken_is_file(c, object) || objects_at(&c->h->objects, object)->wakes_count))
		c->h->err = objects_wake(&c->h->objects, object, &w);
}

struct wait *waits_of_file(const struct taken *c, enum wait_kind kind, uint32_t object)
{
	/* Nobody is asked of what is over at once. */
	if (c->call->duration >= WAIT_MIN && !taken_may_block(c, object))
		kind = WAIT_CALL;
	return waits_add(c, kind);
}

static bool is_noted(const struct history *h, uint32_t reader, uint32_t object)
{
	for (unsigned i = 0; i < h->n_inputs; i++)
		if (h->inputs[i].reader == reader && h->inputs[i].object == object)
			return true;
	return false;
}

void waits_note_input(const struct taken *c, unsigned arg)
{
	const struct recorded_process *above = c->p->process->parent;
	uint32_t object = taken_fails(c) || c->call->args[arg] != STDIN_FILENO ? 0 : taken_object(c, arg);
	struct history *h = c->h;

	if (!object)
		return;
	if (c->p->reader && c->p->standard_input == object && h->n_inputs < SHARED_INPUTS_MAX &&
	    !is_noted(h, c->p->reader - 1, object))
		h->inputs[h->n_inputs++] = (struct shared_input){.reader = c->p->reader - 1,
		                                                 .other = c->p->process->number,
		                                                 .object = object};
	c->p->standard_input = object;
	c->p->reader = 0;
	for (; above && c->call->result > 0; above = above->parent) {
		struct process_history *p = history_process(h, above->number);

		if (p && p->standard_input == object && !p->reader)
			p->reader = c->p->process->number + 1;
	}
}

/* What one reader of a FIFO gets, another does not. A single byte is a token of make's job server (make, "Job Slots").
 */
static void note_fifo(const struct taken *c, uint32_t object)
{
	struct object *o = objects_at(&c->h->objects, object);
	uint32_t self = c->p->process->number + 1;
	struct history *h = c->h;

	if (taken_fails(c) || c->call->result < 2 || *o->name != '/' || !o->wakes_count || o->reader == self)
		return;
	if (o->reader_before == self && h->n_inputs < SHARED_INPUTS_MAX && !is_noted(h, o->reader - 1, object) &&
	    !is_noted(h, self - 1, object)) {
		h->inputs[h->n_inputs++] = (struct shared_input){.fifo = true,
		                                                 .reader = o->reader - 1,
		                                                 .other = c->p->process->number,
		                                                 .object = object};
		o->reader_before = 0;
	} else {
		o->reader_before = o->reader;
	}
	o->reader = self;
}

void waits_on_read(const struct taken *c)
{
	uint32_t object = taken_object(c, 0);
	struct wait *wait = object ? waits_of_file(c, WAIT_DATA, object) : NULL;

	if (wait && wait->kind == WAIT_DATA && taken_is_file(c, object) && wait->to - wait->from >= FIFO_MIN)
		objects_at(&c->h->objects, object)->wakes_count = true;
	waits_object(c, wait, object);
	if (wait)
		wait->at_end = !taken_fails(c) && c->call->result == 0;
	waits_note_input(c, 0);
	if (object)
		note_fifo(c, object);
	if (taken_fails(c) || c->call->result <= 0)
		return;
	if (object)
		objects_at(&c->h->objects, object)->asked = 0;
	waits_wake(c, object, WAKE_TAKES);
}

/*
 * OUTPUT_STDERR or OUTPUT_STDOUT, which it writes to; -1: neither. A shell's `echo >&2` writes to a copy of standard
 * error that is called standard output, and perror(3) to one with another number.
 */
static int output_of(const struct taken *c)
{
	const struct descriptor *d = descriptors_find(&c->p->descriptors, (int)c->call->args[0]);

	if (c->call->args[0] == STDERR_FILENO || (d && d->is_stderr))
		return OUTPUT_STDERR;
	return c->call->args[0] == STDOUT_FILENO ? OUTPUT_STDOUT : -1;
}

/* The last that went to standard output or error. */
static void keep_output(const struct taken *c, int which)
{
	struct data_text bytes = taken_extra(c, 1, DATA_EXTRA_BYTES);
	struct buf *out = &c->p->output[which];
	size_t before = out->len, most = (size_t)c->call->result;

	c->p->wrote[which] = c->event->time;
	if (strcmp(c->name, "writev") == 0)
		strings_iov(out, taken_text(c, 1));
	else
		buf_append(out, bytes.bytes, bytes.n);
	if (out->len - before > most)
		buf_cut(out, before + most);
	if (out->len > 2 * OUTPUT_KEPT) {
		memmove(out->data, out->data + out->len - OUTPUT_KEPT, OUTPUT_KEPT);
		out->len = OUTPUT_KEPT;
		out->data[out->len] = 0;
	}
	if (out->err)
		c->h->err = out->err;
}

void waits_on_write(const struct taken *c)
{
	uint32_t object = taken_object(c, 0);
	int which;

	waits_object(c, object ? waits_of_file(c, WAIT_ROOM, object) : NULL, object);
	if (taken_fails(c))
		return;
	if (object && objects_at(&c->h->objects, object)->server)
		objects_at(&c->h->objects, object)->asked = c->event->time;
	waits_wake(c, object, WAKE_GIVES);
	taken_changes(c, object, "written");
	which = output_of(c);
	if (which >= 0 && c->call->result > 0)
		keep_output(c, which);
}

void waits_on_wait4(const struct taken *c)
{
	struct wait *wait = waits_add(c, WAIT_CHILD);

	/* One that never returned, or was interrupted, waited for this one alone. */
	if (wait && taken_fails(c) && (int32_t)c->call->args[0] > 0)
		wait->child = (uint32_t)c->call->args[0];
	if (taken_fails(c) || c->call->result <= 0)
		return;
	c->p->collected++;
	if (wait)
		wait->child = (uint32_t)c->call->result;
}

void waits_on_waitid(const struct taken *c)
{
	struct wait *wait = waits_add(c, WAIT_CHILD);
	const char *pid;

	if (wait && taken_fails(c) && c->call->args[0] == P_PID)
		wait->child = (uint32_t)c->call->args[1];
	if (taken_fails(c))
		return;
	c->p->collected += !(c->call->args[3] & WNOWAIT);
	pid = wait ? taken_behind(taken_text(c, 2), "si_pid=") : NULL;
	if (pid)
		wait->child = (uint32_t)strtoul(pid, NULL, 10);
}

/* "futex:4711:0x55d0": private ones are the process's own (futex(2), FUTEX_PRIVATE_FLAG). */
static uint32_t futex_of(const struct taken *c)
{
	char name[64];
	bool private = c->call->args[1] & FUTEX_PRIVATE_FLAG;
	int n = snprintf(name, sizeof(name), "futex:%u:%#llx", private ? c->p->process->number + 1 : 0,
	                 (unsigned long long)c->call->args[0]);

	return taken_number(c, (struct data_text){name, (size_t)n});
}

/* "0x4010<locked by 4711>" (record/trace/process/lock_owner.h) */
static uint32_t owner_in(struct data_text text)
{
	struct data_text number = taken_word(text, "<locked by ", ">");
	uint32_t owner = 0;

	for (size_t i = 0; i < number.n && number.bytes[i] >= '0' && number.bytes[i] <= '9'; i++)
		owner = owner * 10 + (uint32_t)(number.bytes[i] - '0');
	return owner;
}

void waits_on_futex(const struct taken *c)
{
	struct wait *wait;

	switch (c->call->args[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		wait = waits_add(c, WAIT_FUTEX);
		if (wait)
			waits_object(c, wait, futex_of(c));
		/* Where the kernel writes 0 and wakes at a thread's end, its number stands: set_tid_address(2). */
		if (wait)
			wait->child = (uint32_t)c->call->args[2];
		if (wait)
			wait->owner = owner_in(taken_text(c, 0));
		if (wait && c->call->error)
			wait->timed_out = c->call->result == -ETIMEDOUT;
		return;
	default:
		if (!taken_fails(c) && (c->call->result > 0 || (c->call->args[1] & FUTEX_CMD_MASK) == FUTEX_UNLOCK_PI))
			waits_wake(c, futex_of(c), WAKE_GIVES);
	}
}

/* All descriptors that are named in a text: "[{fd=3<pipe:[1]>, events=POLLIN}]". */
static void wait_for_named(const struct taken *c, struct wait *wait, struct data_text text)
{
	const char *at = text.bytes, *end = text.bytes + text.n;

	while (at < end && (at = memchr(at, '<', (size_t)(end - at)))) {
		const char *close = memchr(at, '>', (size_t)(end - at));

		if (!close)
			return;
		if (close > at + 1)
			waits_object(c, wait, taken_number(c, (struct data_text){at + 1, (size_t)(close - at - 1)}));
		at = close;
	}
}

void waits_on_poll(const struct taken *c)
{
	struct wait *wait = waits_add(c, WAIT_POLL);

	if (!wait)
		return;
	wait->timed_out = !taken_fails(c) && c->call->result == 0;
	for (unsigned i = 0; i < DATA_ARGS; i++)
		wait_for_named(c, wait, taken_text(c, i));
}

void waits_on_epoll_wait(const struct taken *c)
{
	struct wait *wait = waits_add(c, WAIT_POLL);
	uint32_t epoll = wait ? taken_object(c, 0) : 0;

	if (!wait)
		return;
	wait->timed_out = !taken_fails(c) && c->call->result == 0;
	for (size_t i = 0; epoll && i < objects_at(&c->h->objects, epoll)->n_members; i++)
		waits_object(c, wait, objects_at(&c->h->objects, epoll)->members[i]);
}

/* All epolls of a process look alike ("anon_inode:[eventpoll]"): they are taken for one. */
void waits_on_epoll_ctl(const struct taken *c)
{
	uint32_t epoll = taken_object(c, 0), member = taken_object(c, 2);

	if (epoll && member && !taken_fails(c))
		c->h->err = objects_watch(&c->h->objects, epoll, member);
}

void waits_on_sleep(const struct taken *c)
{
	struct wait *wait = waits_add(c, WAIT_SLEEP);

	if (wait)
		wait->timed_out = !taken_fails(c);
}

void waits_on_signal_wait(const struct taken *c)
{
	waits_add(c, WAIT_SIGNAL);
}

/* A call that a signal without a handler, or a stop, has interrupted goes on (restart_syscall(2)): it is one wait. */
void waits_on_restart(const struct taken *c)
{
	struct wait *wait = c->t->n ? &c->t->waits[c->t->n - 1] : NULL;

	/* Behind the call there may be the time for which it was stopped. */
	if (wait && wait->kind == WAIT_STOPPED && c->t->n > 1)
		wait = &c->t->waits[c->t->n - 2];
	if (!wait || !wait->interrupted)
		return;
	wait->to = c->event->time;
	wait->interrupted = is_interrupted(c->call);
	wait->unfinished = c->unfinished;
	wait->timed_out = wait->kind == WAIT_FUTEX
	                          ? c->call->error && c->call->result == -ETIMEDOUT
	                          : !taken_fails(c) && (wait->kind == WAIT_SLEEP || c->call->result == 0);
}

const struct wake *history_giver(const struct history *h, const struct wait *wait)
{
	bool data = wait->kind == WAIT_OPEN || wait->kind == WAIT_DATA || wait->kind == WAIT_POLL;
	const struct object *o = data && wait->n ? objects_at(&h->objects, h->waited[wait->first]) : NULL;
	uint32_t from = o ? (o->peer ? o->peer : h->waited[wait->first]) : 0;
	const struct wake *wake = o ? objects_waker(&h->objects, from, UINT32_MAX, wait->from, WAKE_GIVES) : NULL;

	/* The next wait may be recorded before the read that ended this one. */
	return wake && wake->exit <= wait->to ? wake : NULL;
}
