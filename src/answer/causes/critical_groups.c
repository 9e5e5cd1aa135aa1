/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of the critical chain, those that are alike together. */
#include "critical_groups.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64 /* programs of a chain that are named */

/* The names of the programs from the top down, as they were at a time, as one text that stays. */
static const char *programs_of(struct story *s, const struct tree_node *top, const struct tree_node *node,
                               uint64_t time)
{
	const struct tree_node *line[DEPTH_MAX];
	struct buf text = BUF_INIT;
	const char *kept = "";
	size_t n = 0;

	for (const struct tree_node *up = node; up && n < DEPTH_MAX; up = up->parent) {
		line[n++] = up;
		if (up == top)
			break;
	}
	while (n-- > 0) {
		story_program_of(&text, story_command_at(s, line[n], time));
		buf_puts(&text, n ? " > " : "");
	}
	if (!text.err)
		kept = history_text(&s->history, text.data ? text.data : "", text.len);
	buf_release(&text);
	return kept;
}

/* "pipe:" of "pipe:[4711]", "futex:"; 0: it has a name of its own. */
static size_t nameless(const char *name)
{
	const char *bracket = strchr(name, '[');

	if (strncmp(name, "futex:", 6) == 0)
		return 6;
	return bracket && bracket > name && bracket[-1] == ':' ? (size_t)(bracket - name) : 0;
}

/* Equal, or a pipe or a socket like the other: a program often has a new one each time. */
static bool same_object(const struct history *h, uint32_t a, uint32_t b)
{
	const struct object *one = objects_at(&h->objects, a), *two = objects_at(&h->objects, b);
	size_t n = nameless(one->name);

	if (a == b)
		return true;
	return n && nameless(two->name) == n && memcmp(one->name, two->name, n) == 0 && one->address == two->address;
}

/* Calls that take long on one file after the other: those of a directory are alike. */
static bool same_directory(const struct history *h, uint32_t a, uint32_t b)
{
	const char *one = objects_at(&h->objects, a)->name, *two = objects_at(&h->objects, b)->name;
	const char *slash = *one == '/' ? strrchr(one, '/') : NULL;
	size_t n = slash ? (size_t)(slash - one) + 1 : 0;

	return n && strncmp(one, two, n) == 0 && !strchr(two + n, '/');
}

static bool same_wait(const struct history *h, const struct wait *a, const struct wait *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || strcmp(a->call, b->call) != 0 || a->n != b->n)
		return false;
	if (!a->n || same_object(h, h->waited[a->first], h->waited[b->first]))
		return true;
	return a->kind == WAIT_CALL && same_directory(h, h->waited[a->first], h->waited[b->first]);
}

static int add_to_group(struct critical *critical, struct story *s, const struct tree_node *top,
                        const struct critical_step *step)
{
	uint64_t took = step->to - step->from, time = step->to ? step->to - 1 : 0;
	const char *command = story_command_at(s, step->node, time);
	const char *programs = programs_of(s, top, step->node, time);
	size_t length;
	const char *word = story_script(command, &length), *script = history_text(&s->history, word, length);
	struct critical_group *g = NULL;

	for (size_t i = critical->n_groups; i-- > 0 && !g;)
		if (critical->groups[i].programs == programs && critical->groups[i].script == script &&
		    same_wait(&s->history, critical->groups[i].wait, step->wait))
			g = &critical->groups[i];
	if (!g) {
		if (grow_array((void **)&critical->groups, critical->n_groups, &critical->cap_groups, sizeof(*g)))
			return -ENOMEM;
		g = &critical->groups[critical->n_groups++];
		*g = (struct critical_group){.last = step->to,
		                             .wait = step->wait,
		                             .programs = programs,
		                             .script = script};
	}
	if (step->wait && step->wait->n && s->history.waited[g->wait->first] != s->history.waited[step->wait->first])
		g->others = true;
	g->processes += g->node != step->node;
	if (took > g->longest) {
		g->latest = step->node;
		g->command = command;
		g->longest = took;
	}
	if (step->ended && took > g->kept) {
		g->kept = took;
		g->ended = step->ended;
		g->waiter = step->waiter;
	}
	g->node = step->node;
	g->first = step->from;
	g->time += took;
	g->timed_out += step->wait && step->wait->timed_out;
	g->late += step->late;
	g->steps++;
	return 0;
}

static int longer_first(const void *a, const void *b)
{
	const struct critical_group *one = a, *two = b;

	if (one->time != two->time)
		return one->time < two->time ? 1 : -1;
	return one->first < two->first ? -1 : one->first > two->first;
}

int critical_group(struct critical *critical, struct story *s, const struct tree_node *top)
{
	int rc = 0;

	for (size_t i = 0; i < critical->n && !rc; i++)
		rc = add_to_group(critical, s, top, &critical->steps[i]);
	if (critical->n_groups)
		qsort(critical->groups, critical->n_groups, sizeof(*critical->groups), longer_first);
	return rc;
}
