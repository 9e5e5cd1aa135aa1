/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "opens.h"

#include "failures.h"
#include "waits.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_stderr(const struct taken *c, int fd)
{
	const struct descriptor *d = descriptors_find(&c->p->descriptors, fd);

	return d ? d->is_stderr : fd == STDERR_FILENO;
}

static bool writes(const struct taken *c, int fd)
{
	const struct descriptor *d = descriptors_find(&c->p->descriptors, fd);

	return d && d->writes;
}

bool opens_to_write(const struct taken *c)
{
	if (strcmp(c->name, "creat") == 0)
		return true;
	if (strcmp(c->name, "openat") == 0)
		return (c->call->args[2] & O_ACCMODE) != O_RDONLY;
	return strcmp(c->name, "open") == 0 && (c->call->args[1] & O_ACCMODE) != O_RDONLY;
}

static void open_descriptor(const struct taken *c, int fd, uint32_t object, bool cloexec)
{
	bool is_copy = strncmp(c->name, "dup", 3) == 0 || strcmp(c->name, "fcntl") == 0;
	const struct descriptor *from = is_copy ? descriptors_find(&c->p->descriptors, (int)c->call->args[0]) : NULL;
	const struct descriptor d = {
		.fd = fd,
		.cloexec = cloexec,
		.object = object,
		.file = from && from->file ? from->file : ++c->h->files,
		.opener = c->p->process->number,
		.since = c->event->time,
		.is_stderr = fd == STDERR_FILENO || (is_copy && is_stderr(c, (int)c->call->args[0])),
		.writes = is_copy ? writes(c, (int)c->call->args[0]) : opens_to_write(c),
	};

	if (object && !c->h->err)
		c->h->err = descriptors_open(&c->p->descriptors, &d);
}

#define EXEC_NS NS_PER_MS      /* an exec closes descriptors at most so long before it is seen */
#define END_NS (5 * NS_PER_MS) /* the same of an end by a signal */

/* Those who wait for the last holder of a pipe, or for a lock, may go on. */
static void closed(struct history *h, const struct recorded_thread *thread, uint64_t from, uint64_t time,
                   uint32_t object)
{
	const struct wake w = {from, time, thread->number, WAKE_CLOSES};
	const struct object *o = objects_at(&h->objects, object);

	locks_closed(&h->locks, thread->process->number, object);
	if (!h->err && (*o->name != '/' || o->wakes_count))
		h->err = objects_wake(&h->objects, object, &w);
}

/* What is opened where a program begins is closed at once, and nobody misses it. */
static bool is_of_a_start(const struct history *h, uint32_t object)
{
	const char *name = objects_at(&h->objects, object)->name;
	const char *so = strstr(name, ".so");

	return (so && (!so[3] || so[3] == '.')) || failures_is_of_a_start(name);
}

/* Takes it out of the process's table, into that of those that were closed. */
static void move_to_closed(struct history *h, struct process_history *p, int fd, uint64_t time, bool by_exec)
{
	struct descriptor closed = *descriptors_find(&p->descriptors, fd);

	descriptors_close(&p->descriptors, fd);
	if (is_of_a_start(h, closed.object))
		return;
	closed.cloexec = by_exec;
	closed.opener = p->process->number;
	closed.since = time;
	if (descriptors_open(&p->closed, &closed))
		h->err = -ENOMEM;
}

static void close_descriptor(const struct taken *c, int fd)
{
	struct descriptor *d = descriptors_find(&c->p->descriptors, fd);
	uint32_t object = d ? d->object : 0;

	if (!object)
		return;
	move_to_closed(c->h, c->p, fd, c->event->time, false);
	closed(c->h, c->event->thread, c->event->time - c->call->duration, c->event->time, object);
}

void opens_count_close(struct closes *closes)
{
	if (!closes->seen)
		return;
	closes->again++;
	closes->last = closes->seen;
	closes->fd = closes->before;
	closes->seen = 0;
}

static void note_close(const struct taken *c)
{
	struct closes *closes = &c->p->closes;
	const int fd = (int)c->call->args[0];
	const bool all = fd == closes->before + 1;
	uint64_t *word, bit;

	if (all)
		closes->seen = 0;
	opens_count_close(closes);
	closes->before = fd;
	if (fd < 0 || fd >= (int)CLOSED_MAX || c->unfinished)
		return;
	word = &closes->closed[fd / 64];
	bit = 1ull << fd % 64;
	if (!c->call->error)
		*word |= bit;
	else if (c->call->result == -EBADF && *word & bit && !all)
		closes->seen = c->event->time;
}

void opens_on_close(const struct taken *c)
{
	note_close(c);
	if (!taken_fails(c))
		close_descriptor(c, (int)c->call->args[0]);
}

void opens_on_close_range(const struct taken *c)
{
	struct descriptors *table = &c->p->descriptors;

	if (taken_fails(c))
		return;
	for (size_t i = table->n; i-- > 0;) {
		int fd = table->items[i].fd;

		if ((uint64_t)fd < c->call->args[0] || (uint64_t)fd > (uint32_t)c->call->args[1])
			continue;
		if (c->call->args[2] & CLOSE_RANGE_CLOEXEC)
			table->items[i].cloexec = true;
		else
			close_descriptor(c, fd);
	}
}

void opens_on_dup(const struct taken *c)
{
	bool to = strcmp(c->name, "dup") != 0;

	if (taken_fails(c))
		return;
	if (to)
		close_descriptor(c, (int)c->call->args[1]);
	open_descriptor(c, (int)c->call->result, taken_object(c, 0),
	                strcmp(c->name, "dup3") == 0 && c->call->args[2] & O_CLOEXEC);
}

/* "[3<pipe:[1]>, 4<pipe:[1]>]" */
void opens_on_pipe(const struct taken *c)
{
	bool pair = strcmp(c->name, "socketpair") == 0;
	struct data_text text = taken_text(c, pair ? 3 : 0);
	bool cloexec =
		pair ? c->call->args[1] & O_CLOEXEC : strcmp(c->name, "pipe2") == 0 && c->call->args[1] & O_CLOEXEC;
	const char *at = text.bytes, *end = text.bytes + text.n;
	uint32_t ends[2] = {0};

	for (int i = 0; i < 2 && !taken_fails(c) && at < end; i++) {
		const char *open = memchr(at, '<', (size_t)(end - at));
		const char *close = open ? memchr(open, '>', (size_t)(end - open)) : NULL;
		const char *digits = open;

		if (!close)
			return;
		while (digits > at && digits[-1] >= '0' && digits[-1] <= '9')
			digits--;
		ends[i] = taken_number(c, (struct data_text){open + 1, (size_t)(close - open - 1)});
		open_descriptor(c, (int)strtol(digits, NULL, 10), ends[i], cloexec);
		at = close;
	}
	if (pair && ends[0] && ends[1])
		objects_pair(&c->h->objects, ends[0], ends[1]);
}

/* open, socket, eventfd, ...: whatever returns a descriptor. flags: which argument has O_CLOEXEC; 6: none. */
void opens_result(const struct taken *c, unsigned flags)
{
	if (!taken_fails(c))
		open_descriptor(c, (int)c->call->result, taken_object(c, DATA_ARGS),
		                flags < DATA_ARGS && c->call->args[flags] & O_CLOEXEC);
}

void opens_on_fcntl(const struct taken *c)
{
	struct descriptor *d = descriptors_find(&c->p->descriptors, (int)c->call->args[0]);

	switch (c->call->args[1]) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		if (!taken_fails(c))
			open_descriptor(c, (int)c->call->result, taken_object(c, 0), c->call->args[1] != F_DUPFD);
		return;
	case F_SETFD:
		if (d && !taken_fails(c))
			d->cloexec = c->call->args[2] & FD_CLOEXEC;
		return;
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		waits_on_lock(c);
		return;
	default:
		return;
	}
}

void opens_close_all(struct history *h, const struct recorded_thread *thread, uint64_t time)
{
	struct process_history *p = history_process(h, thread->process->number);

	/* The kernel closes them somewhere between: one that a signal ended has not said when that began. */
	for (size_t i = 0; p && i < p->descriptors.n && !h->err; i++)
		closed(h, thread, p->ending ? p->ending : time - END_NS, time, p->descriptors.items[i].object);
}

void opens_close_on_exec(struct history *h, const struct recorded_thread *thread, uint64_t time)
{
	struct process_history *p = history_process(h, thread->process->number);
	const struct descriptors *table = &p->descriptors;

	for (size_t i = table->n; i-- > 0;) {
		uint32_t object = table->items[i].object;

		if (!table->items[i].cloexec)
			continue;
		move_to_closed(h, p, table->items[i].fd, time, true);
		closed(h, thread, time - EXEC_NS, time, object);
	}
}
