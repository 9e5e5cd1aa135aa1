/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of a guest that were started again and again, as by the loop of a shell script. */
#include <exectrace/answer/why/guest/programs/tell.h>

#include <errno.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>

#define MANY 30u /* children of one process */
#define PART 10u /* a part of the recording: children that were there for less are not told of */
#define BEHIND "            "

/* What children of a process there were. */
struct parent {
	uint64_t n, sum, time; /* how many; how long they were there, ns, and at least one of them was */
	uint64_t until;
};

static int by_start(const void *a, const void *b)
{
	const struct recorded_process *const *one = a, *const *two = b;

	return ((*one)->start > (*two)->start) - ((*one)->start < (*two)->start);
}

/* All processes that have ended, by their starts. NULL: no memory. */
static const struct recorded_process **sorted(const struct recording *r, size_t *n)
{
	const struct recorded_process **list = calloc(recording_processes(r) + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; list && i < recording_processes(r); i++)
		if (recording_process(r, i)->ended && recording_process(r, i)->parent)
			list[(*n)++] = recording_process(r, i);
	if (*n)
		qsort(list, *n, sizeof(const struct recorded_process *), by_start);
	return list;
}

/* The name that most of its children had last, of those that are counted in one pass (Boyer and Moore's majority). */
static const char *usual_name(const struct recorded_process *const *list, size_t n, const struct recorded_process *p)
{
	const char *name = "";
	size_t more = 0;

	for (size_t i = 0; i < n; i++) {
		if (list[i]->parent != p)
			continue;
		if (!more)
			name = list[i]->comm;
		if (strcmp(name, list[i]->comm) == 0)
			more++;
		else
			more--;
	}
	return name;
}

static uint64_t named(const struct recorded_process *const *list, size_t n, const struct recorded_process *p,
                      const char *name)
{
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += list[i]->parent == p && strcmp(list[i]->comm, name) == 0;
	return count;
}

static void keep(struct tell *t, const struct recorded_process *p, const struct parent *what,
                 const struct recorded_process *const *list, size_t n)
{
	struct guest_crowd *crowds = t->g->crowds;
	const char *name = usual_name(list, n, p);
	size_t at = t->g->n_crowds;

	while (at && crowds[at - 1].time < what->time)
		at--;
	if (at == GUEST_CROWDS)
		return;
	t->g->n_crowds += t->g->n_crowds < GUEST_CROWDS;
	memmove(&crowds[at + 1], &crowds[at], (t->g->n_crowds - at - 1) * sizeof(*crowds));
	crowds[at] = (struct guest_crowd){
		.parent = tell_process(t, p),
		.name = tell_text(t, name, strlen(name)),
		.named = named(list, n, p, name),
		.count = what->n,
		.sum = what->sum,
		.time = what->time,
	};
}

void crowds_tell(struct tell *t)
{
	const struct recording *r = t->s->recording;
	struct parent *parents = calloc(recording_processes(r) + 1, sizeof(*parents));
	size_t n = 0;
	const struct recorded_process **list = parents ? sorted(r, &n) : NULL;

	if (!list)
		t->err = -ENOMEM;
	for (size_t i = 0; list && i < n; i++) {
		struct parent *p = &parents[list[i]->parent->number];
		const uint64_t from = list[i]->start > p->until ? list[i]->start : p->until;

		p->n++;
		p->sum += list[i]->end > list[i]->start ? list[i]->end - list[i]->start : 0;
		p->time += list[i]->end > from ? list[i]->end - from : 0;
		p->until = list[i]->end > p->until ? list[i]->end : p->until;
	}
	for (size_t i = 0; list && t->g->host && i < recording_processes(r); i++) {
		const struct tree_node *node = process_tree_node(t->s->tree, (uint32_t)i);

		if (parents[i].n >= MANY && parents[i].time >= t->g->length / PART && node && !node->kernel)
			keep(t, recording_process(r, i), &parents[i], list, n);
	}
	free(list);
	free(parents);
}

/* --- For people, and for programs --------------------------------------------------------------------------------- */

void crowds_print(struct buf *out, const struct guest_story *g)
{
	if (g->n_crowds)
		buf_puts(out, "  many short processes, and how long at least one of them was there:\n");
	for (size_t i = 0; i < g->n_crowds; i++) {
		const struct guest_crowd *c = &g->crowds[i];

		text_padded(out, g, c->time);
		buf_puts(out, "  ");
		command_print(out, &c->parent, "");
		buf_printf(out, " started %llu, %llu x ", (unsigned long long)c->count, (unsigned long long)c->named);
		text_name(out, c->name);
		buf_puts(out, ", of ");
		clock_print(out, c->sum / c->count);
		buf_puts(out, " each\n");
	}
}

void crowds_json(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_crowds; i++) {
		const struct guest_crowd *c = &g->crowds[i];

		jsonl_begin(&one);
		command_json(&one, "command", "pid", &c->parent);
		jsonl_unsigned(&one, "children", c->count);
		jsonl_string(&one, "name", c->name);
		jsonl_unsigned(&one, "named", c->named);
		jsonl_unsigned(&one, "time", c->time);
		jsonl_unsigned(&one, "sum", c->sum);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "crowds", &all);
	buf_release(&text);
}
