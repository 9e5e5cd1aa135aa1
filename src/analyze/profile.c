/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile.h"

#include <errno.h>
#include <exectrace/analyze/call.h>
#include <exectrace/base/grow.h>
#include <exectrace/base/path.h>
#include <stdio.h>
#include <string.h>

#define CALL_BIT 0x80000000u /* of the numbers of calls, which share a space with those of functions */

/* A call as a function. */
struct call_function {
	struct recorded_function function;
};

/* A call made by threads of one name; samples of threads of one name. */
struct leaf {
	uint32_t number;
	const struct recorded_function *function; /* NULL: samples */
	const char *comm;
};

/* Where samples without a stack were taken. */
static const struct recorded_function nowhere = {.name = "[unknown]", .file = ""};

static const struct recorded_function *call_function(struct profile *p, const struct data_syscall *call)
{
	struct call_function *f = idmap_get(&p->calls_by_nr, call->nr, call->arch);
	char name[32], shown[64];

	if (f)
		return &f->function;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	snprintf(shown, sizeof(shown), "[%s]", call_name(call, name));
	f->function.file = "[kernel]";
	f->function.known = f->function.kernel = true;
	/* Calls of two machines that have the same name are one function. */
	if (pool_text(&p->texts, shown, strlen(shown), &f->function.name, &f->function.number) ||
	    idmap_put(&p->calls_by_nr, call->nr, call->arch, f)) {
		free(f);
		return NULL;
	}
	f->function.number |= CALL_BIT;
	return &f->function;
}

/* call: NULL for a sample. */
static const struct leaf *leaf_of(struct profile *p, const struct data_syscall *call, const char *comm)
{
	const struct recorded_function *f = call ? call_function(p, call) : NULL;
	uint32_t number = f ? f->number : 0;
	struct leaf *leaf;

	if (call && !f)
		return NULL;
	if (!(p->keys & PROFILE_COMM))
		comm = "";
	leaf = idmap_get(&p->leaves, number, (uintptr_t)comm);
	if (leaf)
		return leaf;
	leaf = calloc(1, sizeof(*leaf));
	if (!leaf || idmap_put(&p->leaves, number, (uintptr_t)comm, leaf)) {
		free(leaf);
		return NULL;
	}
	*leaf = (struct leaf){p->n_leaves++, f, comm};
	return leaf;
}

/* --- Entries ------------------------------------------------------------------------------------------------------ */

static int name_object(struct profile *p, const struct recorded_function *f, const char **name, uint32_t *number)
{
	const char *text = path_name(f->file);

	if (!*text)
		text = "[unknown]";
	return pool_text(&p->texts, text, strlen(text), name, number);
}

static struct profile_entry *new_entry(struct profile *p)
{
	struct profile_entry *e;

	if (p->n_entries == UINT32_MAX || grow_array((void **)&p->entries, p->n_entries, &p->cap_entries, sizeof(e)))
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->comm = e->object = e->function = "";
	return p->entries[p->n_entries++] = e;
}

/* The entry of a function in threads of a name. NULL: no memory. */
static struct profile_entry *entry_of(struct profile *p, const struct recorded_function *f, const char *comm)
{
	const char *object = "", *name = f->name;
	uint32_t number = 0, text = 0;
	struct profile_entry *e;

	if (p->keys & PROFILE_OBJECT && name_object(p, f, &object, &number))
		return NULL;
	/* The same name in two files is one entry when files do not matter. */
	if (p->keys & PROFILE_FUNCTION && pool_text(&p->texts, name, strlen(name), &name, &text))
		return NULL;
	text = p->keys & PROFILE_FUNCTION ? text + 1 : 0;
	number = p->keys & PROFILE_OBJECT ? number + 1 : 0;
	e = idmap_get(&p->entries_by_key, (uint64_t)number << 32 | text, (uintptr_t)comm);
	if (e)
		return e;
	e = new_entry(p);
	if (!e || idmap_put(&p->entries_by_key, (uint64_t)number << 32 | text, (uintptr_t)comm, e))
		return NULL;
	e->comm = comm;
	e->object = object;
	e->function = p->keys & PROFILE_FUNCTION ? name : "";
	e->kernel = f->kernel;
	return e;
}

/* --- Adding ------------------------------------------------------------------------------------------------------- */

/* Fills the entries of a path: the call itself if it is one, and the n frames. 0 or -ENOMEM. */
static int fill_path(struct profile *p, struct call_path *path, const struct leaf *leaf,
                     const struct recorded_frame *frames, size_t n)
{
	const struct recorded_function *first = leaf->function ? leaf->function : n ? NULL : &nowhere;

	path->n = 0;
	if (first) {
		path->entries[0] = entry_of(p, first, leaf->comm);
		if (!path->entries[path->n++])
			return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		path->entries[path->n] = entry_of(p, frames[i].function, leaf->comm);
		if (!path->entries[path->n++])
			return -ENOMEM;
	}
	path->stacked = n > 0;
	return 0;
}

static struct call_path *new_path(struct profile *p, const struct recorded_event *event, const struct leaf *leaf)
{
	const struct recorded_frame *frames;
	struct call_path *path;
	size_t n;

	if (recording_stack(p->recording, event, &frames, &n) ||
	    grow_array((void **)&p->paths, p->n_paths, &p->cap_paths, sizeof(path)))
		return NULL;
	path = calloc(1, sizeof(*path) + (n + 1) * sizeof(path->entries[0]));
	if (!path)
		return NULL;
	p->paths[p->n_paths++] = path;
	return fill_path(p, path, leaf, frames, n) ? NULL : path;
}

/* Adds one with this stack. call: NULL for a sample. */
static int add(struct profile *p, const struct recorded_event *event, const struct data_syscall *call, uint64_t stack,
               uint64_t weight)
{
	const struct leaf *leaf = leaf_of(p, call, event->thread->comm);
	struct call_path *path;
	uint64_t sub;

	if (!leaf)
		return -ENOMEM;
	sub = (uint64_t)event->file << 32 | leaf->number;
	path = idmap_get(&p->paths_by_id, stack, sub);
	if (!path) {
		path = new_path(p, event, leaf);
		if (!path || idmap_put(&p->paths_by_id, stack, sub, path))
			return -ENOMEM;
	}
	path->weight += weight;
	p->total += weight;
	p->count++;
	p->stacked += path->stacked;
	return 0;
}

int profile_add(struct profile *p, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	const struct data_sample *sample = &event->record->sample;
	bool timed = p->weight == PROFILE_TIME;

	switch (event->record->type) {
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
		return p->of == PROFILE_CALLS ? add(p, event, call, call->stack, timed ? call->duration : 1) : 0;
	case DATA_SAMPLE:
		if (p->of != PROFILE_SAMPLES)
			return 0;
		p->cut += sample->flags & DATA_SAMPLE_CUT;
		return add(p, event, NULL, sample->stack, timed ? sample->weight : 1);
	default:
		return 0;
	}
}

struct profile *profile_new(struct recording *r, enum profile_of of, unsigned keys, enum profile_weight weight)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->recording = r;
	p->of = of;
	p->keys = keys;
	p->weight = weight;
	return p;
}

static void free_values(struct idmap *map)
{
	for (size_t i = 0; i < map->cap; i++)
		free(map->slots[i].value);
	idmap_release(map);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_paths; i++)
		free(p->paths[i]);
	for (size_t i = 0; i < p->n_entries; i++) {
		free(p->entries[i]->stacks);
		free(p->entries[i]);
	}
	free_values(&p->calls_by_nr);
	free_values(&p->leaves);
	idmap_release(&p->paths_by_id);
	idmap_release(&p->entries_by_key);
	pool_release(&p->texts);
	free(p->paths);
	free(p->entries);
	free(p);
}

uint64_t profile_total(const struct profile *p)
{
	return p->total;
}

uint64_t profile_count(const struct profile *p)
{
	return p->count;
}

uint64_t profile_stacked(const struct profile *p)
{
	return p->stacked;
}

uint64_t profile_cut(const struct profile *p)
{
	return p->cut;
}
