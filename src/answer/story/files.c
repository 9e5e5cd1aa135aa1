/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files.h"

#include "failures.h"
#include "moves.h"
#include "opens.h"
#include "waits.h"
#include <errno.h>
#include <exectrace/base/grow.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITERS_MAX 400 /* processes, the newest, that are looked at */

void files_accessed(const struct taken *c, const char *path, enum access_kind kind)
{
	struct access access = {.time = c->event->time, .kind = kind};

	if (!c->h->keeps_accesses || !*path || failures_is_of_a_start(path))
		return;
	access.object = taken_number(c, (struct data_text){path, strlen(path)});
	if (!c->h->err)
		c->h->err = accesses_add(&c->p->accesses, &access);
}

void files_made(const struct taken *c, const char *path)
{
	uint32_t number = *path ? taken_number(c, (struct data_text){path, strlen(path)}) : 0;
	struct object *o = number ? objects_at(&c->h->objects, number) : NULL;

	if (!o)
		return;
	o->maker = c->p->process->number + 1;
	o->made = c->event->time;
}

/* Where a relative path begins: the descriptor in the argument before it, or the directory of the process. */
static const char *path_of(struct history *h, struct process_history *p, const struct taken *c, unsigned arg,
                           struct data_text path)
{
	struct data_text directory;
	const char *cwd = p->cwd, *full;

	if (arg && taken_object_in(taken_extra(c, arg - 1, DATA_EXTRA_TEXT), &directory) && *directory.bytes == '/') {
		p->cwd = history_text(h, directory.bytes, directory.n);
		/* AT_FDCWD tells where it is, whatever was known before. */
		if ((int)c->call->args[arg - 1] == AT_FDCWD)
			cwd = p->cwd;
	}
	full = history_path(h, p, path.bytes, path.n);
	p->cwd = cwd;
	return full;
}

const char *files_what(struct history *h, struct process_history *p, const struct taken *c)
{
	/* What was to be made is the last one, and that is in the way. */
	const bool last = c->call->error && (c->call->result == -EEXIST || c->call->result == -ENOTEMPTY);
	const struct data_extra *path = NULL;
	struct data_text object;

	for (unsigned i = 0; i < c->call->nextras && (last || !path); i++)
		if (c->call->extras[i].kind == DATA_EXTRA_PATH && c->call->extras[i].text.n)
			path = &c->call->extras[i];
	if (path)
		return path_of(h, p, c, path->arg, path->text);
	if (strcmp(c->name, "connect") == 0 || strcmp(c->name, "bind") == 0)
		return addresses_name(h, p, taken_text(c, 1));
	if (c->call->nextras && taken_object_in(taken_extra(c, 0, DATA_EXTRA_TEXT), &object))
		return history_text(h, object.bytes, object.n);
	return "";
}

static void note_found(struct process_history *p, uint32_t object, uint32_t writer, uint64_t time)
{
	unsigned at = 0;

	while (at < p->n_found && p->found[at].object != object)
		at++;
	if (at == FOUND_MAX) /* the oldest makes room */
		at = 0;
	if (at < p->n_found)
		memmove(&p->found[at], &p->found[at + 1], (p->n_found - at - 1) * sizeof(*p->found));
	else
		p->n_found++;
	p->found[p->n_found - 1] = (struct found_file){time, object, writer};
}

/* A process that is not done with writing it, + 1; 0: none. */
static uint32_t writer_of(const struct taken *c, uint32_t object)
{
	size_t last = c->h->n_processes, first = last > WRITERS_MAX ? last - WRITERS_MAX : 0;

	if (objects_at(&c->h->objects, object)->is_fifo)
		return 0; /* it is written while it is read */

	for (size_t i = last; i-- > first;) {
		const struct process_history *q = c->h->processes[i];

		/* The two ends of a FIFO are opened at the same time. */
		if (q && q != c->p && !q->ended &&
		    descriptors_writer(&q->descriptors, object, c->event->time - c->call->duration))
			return q->process->number + 1;
	}
	return 0;
}

/* Others' files say why a process did what it did; its own do not. */
static void found(const struct taken *c)
{
	uint32_t number = taken_number(c, (struct data_text){c->what, strlen(c->what)});
	const struct object *o = number ? objects_at(&c->h->objects, number) : NULL;

	if (o && o->maker && o->maker != c->p->process->number + 1 && (!o->remover || o->removed < o->made))
		note_found(c->p, number, writer_of(c, number), c->event->time);
}

void files_on_look(const struct taken *c)
{
	if (taken_fails(c) || !*c->what)
		return;
	failures_found(c->p, c->what, c->event->time);
	if (strncmp(c->name, "exec", 4) != 0)
		found(c);
}

/* A shell's `>/dev/null` makes nothing. */
static bool is_device(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
}

/* One of a FIFO waits until the other end is opened, too (fifo(7)). */
void files_on_open(const struct taken *c)
{
	unsigned flags_at = strcmp(c->name, "openat") == 0 ? 2 : strcmp(c->name, "open") == 0 ? 1 : DATA_ARGS;
	uint64_t flags = flags_at < DATA_ARGS ? c->call->args[flags_at] : 0;
	struct data_text name = {c->what, strlen(c->what)};
	uint32_t object = name.n ? taken_number(c, name) : 0;
	struct wait *wait = object ? waits_of_file(c, WAIT_OPEN, object) : NULL;

	if (wait && wait->kind == WAIT_OPEN && wait->to - wait->from >= NS_PER_MS)
		objects_at(&c->h->objects, object)->wakes_count = true;
	waits_object(c, wait, object);
	if (taken_fails(c))
		return;
	failures_found(c->p, c->what, c->event->time);
	if (name.n && (flags & O_ACCMODE) == O_RDONLY)
		found(c);
	opens_result(c, flags_at);
	moves_opened(c);
	if (object && flags & O_DIRECTORY)
		c->p->directories[c->p->n_directories++ % DIRECTORIES_MAX] = object;
	files_accessed(c, c->what, (flags & O_ACCMODE) == O_RDONLY ? ACCESS_READ : ACCESS_WRITE);
	waits_wake(c, object, WAKE_OPENS);
	if (flags & O_TRUNC || strcmp(c->name, "creat") == 0)
		taken_changes(c, object, "truncated");
	if (flags & O_CREAT && !is_device(c->what))
		files_made(c, c->what);
}

/* The last path; "" there is none. */
static const char *last_path(const struct taken *c)
{
	const struct data_extra *last = NULL;

	for (unsigned i = 0; i < c->call->nextras; i++)
		if (c->call->extras[i].kind == DATA_EXTRA_PATH)
			last = &c->call->extras[i];
	return last ? path_of(c->h, c->p, c, last->arg, last->text) : "";
}

/* mkdir, rename, link, symlink, mknod: the last path is what is made. */
void files_on_make(const struct taken *c)
{
	const char *path = taken_fails(c) ? "" : last_path(c);

	if (!*path)
		return;
	files_made(c, path);
	files_accessed(c, path, ACCESS_MAKE);
	if (strncmp(c->name, "rename", 6) == 0)
		moves_renamed(c, path);
	if (strncmp(c->name, "rename", 6) == 0)
		taken_changes(c, taken_number(c, (struct data_text){path, strlen(path)}), "replaced");
	/* A FIFO, perhaps. */
	if (strncmp(c->name, "mknod", 5) == 0 && !c->h->err) {
		struct object *o = objects_at(&c->h->objects, taken_number(c, (struct data_text){path, strlen(path)}));

		o->wakes_count = o->is_fifo = true;
	}
}

/* unlink, rmdir, and rename of its first path. */
void files_on_remove(const struct taken *c)
{
	struct data_text name = {c->what, strlen(c->what)};
	uint32_t number = !taken_fails(c) && name.n ? taken_number(c, name) : 0;
	const char *moved = number && strncmp(c->name, "rename", 6) == 0 ? last_path(c) : "";

	if (number) {
		objects_at(&c->h->objects, number)->moved = *moved ? moved : NULL;
		objects_at(&c->h->objects, number)->remover = c->p->process->number + 1;
		objects_at(&c->h->objects, number)->removed = c->event->time;
		taken_changes(c, number, "removed");
	}
	if (number)
		files_accessed(c, c->what, ACCESS_REMOVE);
	if (strncmp(c->name, "rename", 6) == 0)
		files_on_make(c);
}

void files_on_chdir(const struct taken *c)
{
	if (!taken_fails(c) && *c->what == '/')
		c->p->cwd = c->what;
}

/* kill(pid, sig), tkill(tid, sig), tgkill(pid, tid, sig). One that never returned counts: who it is for may run, and
 * end all, before its sender does. */
void files_on_kill(const struct taken *c)
{
	struct history *h = c->h;
	const struct kill_sent kill = {
		.time = c->unfinished ? c->event->time - c->call->duration : c->event->time,
		.sender = history_command(h, c->p),
		.pid = c->p->process->pid,
		.target = (int32_t)c->call->args[0],
		.number = (int)c->call->args[strcmp(c->name, "tgkill") == 0 ? 2 : 1],
	};
	size_t at = h->n_kills;

	if ((c->call->error && !c->unfinished) || !kill.number)
		return;
	if (grow_array((void **)&h->kills, h->n_kills, &h->cap_kills, sizeof(*h->kills))) {
		h->err = -ENOMEM;
		return;
	}
	for (; at && h->kills[at - 1].time > kill.time; at--)
		h->kills[at] = h->kills[at - 1];
	h->kills[at] = kill;
	h->n_kills++;
}

/* --- Limits ------------------------------------------------------------------------------------------------------- */

static const char *kept(struct history *h, struct data_text text)
{
	return history_text(h, text.bytes, text.n);
}

/* What a limit was found to be by the process that sets it now; "" when it has not looked. */
static const char *seen_before(const struct history *h, const struct limit_set *limit)
{
	for (size_t i = h->n_limits; i-- > 0;)
		if (h->limits[i].process == limit->process && strcmp(h->limits[i].resource, limit->resource) == 0)
			return h->limits[i].now;
	return "";
}

/* The process whose limits a call is about. */
static const struct recorded_process *limited(const struct taken *c, bool pr)
{
	uint64_t pid = pr ? c->call->args[0] : 0;

	if (!pid || pid == c->p->process->pid)
		return c->p->process;
	for (size_t i = c->h->n_processes; i-- > 0;) {
		const struct process_history *p = c->h->processes[i];

		if (p && !p->ended && p->process->pid == pid)
			return p->process;
	}
	return NULL;
}

/* prlimit64(pid, resource, new, old), setrlimit(resource, new), getrlimit(resource, old) */
void files_on_prlimit(const struct taken *c)
{
	bool pr = strcmp(c->name, "prlimit64") == 0;
	const struct recorded_process *whose = taken_fails(c) ? NULL : limited(c, pr);
	struct limit_set limit = {.time = c->event->time};
	struct history *h = c->h;

	if (!whose)
		return;
	limit.process = whose->number;
	limit.only_seen = pr ? !c->call->args[2] : strcmp(c->name, "getrlimit") == 0;
	limit.setter = history_command(h, c->p);
	limit.pid = c->p->process->pid;
	limit.resource = kept(h, taken_text(c, pr ? 1 : 0));
	limit.now = kept(h, taken_word(taken_text(c, pr && limit.only_seen ? 3 : pr ? 2 : 1), "rlim_cur=", ",}"));
	limit.before = pr && !limit.only_seen ? kept(h, taken_word(taken_text(c, 3), "rlim_cur=", ",}")) : "";
	if (!limit.only_seen && !*limit.before)
		limit.before = seen_before(h, &limit);
	if (grow_array((void **)&h->limits, h->n_limits, &h->cap_limits, sizeof(*h->limits)))
		h->err = -ENOMEM;
	else
		h->limits[h->n_limits++] = limit;
}
