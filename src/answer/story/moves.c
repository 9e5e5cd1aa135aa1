/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "moves.h"

#include "failures.h"
#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_CALLS 10000u /* that is many */
#define SMALL_BYTES 64u    /* of a call, on average: that is little */

/* By name, for bsearch. Their first argument is a descriptor; those that are sized return how many bytes they moved. */
static const struct stream_call stream_calls[] = {
	{.name = "copy_file_range", .doing = "reading", .sized = true},
	{.name = "fallocate", .doing = "allocating"},
	{.name = "fdatasync", .doing = "syncing"},
	{.name = "fsync", .doing = "syncing"},
	{.name = "ftruncate", .doing = "cutting"},
	{.name = "getdents", .doing = "listing", .sized = true},
	{.name = "getdents64", .doing = "listing", .sized = true},
	{.name = "pread64", .doing = "reading", .sized = true},
	{.name = "preadv", .doing = "reading", .sized = true},
	{.name = "preadv2", .doing = "reading", .sized = true},
	{.name = "pwrite64", .doing = "writing", .sized = true, .writes = true},
	{.name = "pwritev", .doing = "writing", .sized = true, .writes = true},
	{.name = "pwritev2", .doing = "writing", .sized = true, .writes = true},
	{.name = "read", .doing = "reading", .sized = true},
	{.name = "readv", .doing = "reading", .sized = true},
	{.name = "recvfrom", .doing = "receiving from", .sized = true},
	{.name = "recvmsg", .doing = "receiving from", .sized = true},
	{.name = "sendfile", .doing = "writing", .sized = true, .writes = true},
	{.name = "sendmsg", .doing = "sending to", .sized = true, .writes = true},
	{.name = "sendto", .doing = "sending to", .sized = true, .writes = true},
	{.name = "splice", .doing = "reading", .sized = true},
	{.name = "write", .doing = "writing", .sized = true, .writes = true},
	{.name = "writev", .doing = "writing", .sized = true, .writes = true},
};

static int by_name(const void *name, const void *call)
{
	return strcmp(name, ((const struct stream_call *)call)->name);
}

/* "cat" of "/usr/bin/cat" */
static const char *program_of(struct history *h, const struct process_history *p)
{
	const char *path = p->process->path, *slash = strrchr(path, '/');

	path = slash ? slash + 1 : path;
	return *path ? history_text(h, path, strlen(path)) : "";
}

static void add(struct history *h, struct streams *streams, const struct stream_key *key, const struct stream_use *use)
{
	if (!h->err)
		h->err = streams_add(streams, key, use);
}

void moves_take(const struct taken *c)
{
	const struct stream_call *call = bsearch(c->name, stream_calls, sizeof(stream_calls) / sizeof(*stream_calls),
	                                         sizeof(*stream_calls), by_name);
	uint32_t object = call && !taken_fails(c) ? taken_object(c, 0) : 0;
	struct stream_key key = {.who = "", .call = call};
	struct stream_use use = {.time = c->call->duration};
	struct process_history *p = c->p;

	if (!object || c->call->result < 0)
		return;
	key.file = objects_at(&c->h->objects, object)->name;
	if (strncmp(key.file, "/dev/", 5) == 0)
		return;
	if (strcmp(call->name, "ftruncate") == 0)
		streams_begin(&p->streams, key.file);
	if (call->sized) {
		use.bytes = (uint64_t)c->call->result;
		use.at_end = !use.bytes && !call->writes;
		use.from_start = call->name[0] == 'p' && !c->call->args[3];
	}
	/* Another program may run by the time of the end. */
	if (!p->streams.n) {
		p->streams.max = STREAMS_OF_PROCESS;
		p->command = history_command(c->h, p);
		p->program = program_of(c->h, p);
	}
	add(c->h, &p->streams, &key, &use);
}

void moves_opened(const struct taken *c)
{
	uint32_t object = c->p->streams.n ? taken_object(c, DATA_ARGS) : 0;

	if (object)
		streams_begin(&c->p->streams, objects_at(&c->h->objects, object)->name);
}

void moves_renamed(const struct taken *c, const char *to)
{
	if (!c->h->err)
		c->h->err = streams_move(&c->p->streams, c->what, to);
}

static void judge(struct history *h, struct stream *s, const struct stream_grown *whose)
{
	struct stream_grown grown = *whose;

	if (h->err || !stream_fit(s, &grown.fit))
		return;
	grown.key = s->key;
	if (grow_array((void **)&h->grown, h->n_grown, &h->cap_grown, sizeof(*h->grown)))
		h->err = -ENOMEM;
	else
		h->grown[h->n_grown++] = grown;
}

static void note_small(struct history *h, const struct stream *s, const struct stream_grown *whose)
{
	if (h->err || !s->key.call->sized || s->all_calls < SMALL_CALLS || s->all_bytes / s->all_calls > SMALL_BYTES)
		return;
	if (grow_array((void **)&h->small, h->n_small, &h->cap_small, sizeof(*h->small)))
		h->err = -ENOMEM;
	else
		h->small[h->n_small++] = (struct small_calls){
			.process = whose->process,
			.command = whose->command,
			.key = s->key,
			.calls = s->all_calls,
			.bytes = s->all_bytes,
			.time = s->all_time,
		};
}

void moves_end(struct history *h, struct process_history *p)
{
	const struct stream_grown whose = {.process = p->process->number + 1, .command = p->command};

	h->streams.max = STREAMS_OF_ALL;
	for (size_t i = 0; i < p->streams.n; i++) {
		struct stream *s = &p->streams.items[i];
		const struct stream_key key = {p->program, s->key.call, s->key.file};
		const struct stream_use use = {.bytes = s->all_bytes, .time = s->all_time};

		note_small(h, s, &whose);
		judge(h, s, &whose);
		if (*p->program && *key.file == '/' && s->took.calls && !failures_is_of_a_start(key.file))
			add(h, &h->streams, &key, &use);
	}
	streams_release(&p->streams);
}

void moves_finish(struct history *h)
{
	for (size_t i = 0; i < h->n_processes; i++)
		if (h->processes[i])
			moves_end(h, h->processes[i]);
	for (size_t i = 0; i < h->streams.n; i++)
		judge(h, &h->streams.items[i], &(struct stream_grown){.command = h->streams.items[i].key.who});
	streams_release(&h->streams);
}
