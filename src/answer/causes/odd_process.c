/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/causes/odd_process.h>

#include "alike.h"
#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdio.h>
#include <string.h>

#define MORE_MAX 3u       /* a process that differs in more did something else */
#define MEMBERS_MAX 2048u /* of processes that are alike, the first ones */

/* Something that a process did. */
struct fact {
	const char *key; /* as of members */
	size_t member;
	struct odd_process what;
};

struct finding {
	struct odd_processes *odd;
	struct alike alike;
	struct fact *facts; /* of the processes at hand */
	size_t n_facts, cap_facts;
};

/* --- What they did ------------------------------------------------------------------------------------------------ */

static int add_fact(struct finding *f, size_t member, const char *kind, const char *text,
                    const struct odd_process *what)
{
	struct fact fact = {.key = alike_key(&f->alike, kind, text), .member = member, .what = *what};

	if (!fact.key || grow_array((void **)&f->facts, f->n_facts, &f->cap_facts, sizeof(fact)))
		return -ENOMEM;
	f->facts[f->n_facts++] = fact;
	return 0;
}

/* Errors that depend on when the call is made. */
static bool is_of_time(int error)
{
	return error == EAGAIN || error == EINTR || error == ETIMEDOUT || error == EINPROGRESS || error == ECHILD ||
	       error >= 512;
}

/* Names that mean the same in all processes. */
static bool is_named(const char *name)
{
	return *name == '/' && strncmp(name, "/proc/", 6) != 0 && strncmp(name, "/dev/", 5) != 0;
}

static int add_facts(struct finding *f, size_t member)
{
	const struct process_history *p = f->alike.members[member].history;
	const struct tree_node *node = f->alike.members[member].node;
	char kind[64];
	struct buf end = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < p->n_failures && !rc; i++) {
		const struct failure *failure = &p->failures[i];

		if (is_of_time(failure->error) || (*failure->what && !is_named(failure->what)))
			continue;
		snprintf(kind, sizeof(kind), "f%d %s ", failure->error, failure->call);
		rc = add_fact(f, member, kind, failure->what,
		              &(struct odd_process){.kind = ODD_FAILURE, .failure = failure});
	}
	for (size_t i = 0; i < p->accesses.n && !rc; i++) {
		const struct access *access = &p->accesses.items[i];
		const char *name = objects_at(&f->alike.story->history.objects, access->object)->name;

		snprintf(kind, sizeof(kind), "a%u ", (unsigned)access->kind);
		if (is_named(name))
			rc = add_fact(f, member, kind, name,
			              &(struct odd_process){.kind = ODD_ACCESS, .access = access});
	}
	exec_print_end(&end, &node->end);
	snprintf(kind, sizeof(kind), "e%.50s", end.data ? end.data : "");
	buf_release(&end);
	return rc ? rc : add_fact(f, member, kind, "", &(struct odd_process){.kind = ODD_END, .end = node});
}

/* --- The odd ones ------------------------------------------------------------------------------------------------- */

static int by_fact(const void *a, const void *b)
{
	const struct fact *one = a, *two = b;
	int order = one->key == two->key ? 0 : strcmp(one->key, two->key);

	if (order || one->member == two->member)
		return order;
	return one->member < two->member ? -1 : 1;
}

/* Processes of one command: members [first, first + of), and the odd ones among them. */
struct candidates {
	size_t first, of;
	struct odd_process list[ODD_PROCESSES];
	size_t n;
	bool many;
};

static void add_candidate(struct candidates *c, const struct odd_process *odd)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].node == odd->node) {
			c->list[i].more++;
			return;
		}
	if (c->n == ODD_PROCESSES)
		c->many = true;
	else
		c->list[c->n++] = *odd;
}

/* One fact, of several members: [at, end) of the facts. */
static void judge(const struct finding *f, size_t at, size_t end, struct candidates *c)
{
	struct odd_process odd = f->facts[at].what;
	size_t n = 0, missing = c->first;

	for (size_t i = at; i < end; i++) {
		if (i > at && f->facts[i].member == f->facts[i - 1].member)
			continue;
		missing += f->facts[i].member == missing;
		n++;
	}
	odd.of = c->of;
	odd.lacks = n + 1 == c->of;
	odd.node = f->alike.members[odd.lacks ? missing : f->facts[at].member].node;
	/* The first one may have to begin what the others find; how one ended need not be told by what it was not. */
	if ((n != 1 && !odd.lacks) || odd.node == f->alike.members[c->first].node || (odd.lacks && odd.kind == ODD_END))
		return;
	add_candidate(c, &odd);
}

static void keep(struct odd_processes *all, const struct odd_process *odd)
{
	size_t at = all->n;

	while (at && all->items[at - 1].more > odd->more)
		at--;
	if (at == ODD_PROCESSES)
		return;
	all->n += all->n < ODD_PROCESSES;
	memmove(&all->items[at + 1], &all->items[at], (all->n - at - 1) * sizeof(*odd));
	all->items[at] = *odd;
}

/* Members [first, first + of) are of one command. */
static int compare(struct finding *f, size_t first, size_t of)
{
	struct candidates c = {.first = first, .of = of < MEMBERS_MAX ? of : MEMBERS_MAX};
	int rc = 0;

	f->n_facts = 0;
	for (size_t i = first; i < first + c.of && !rc; i++)
		rc = add_facts(f, i);
	if (rc)
		return rc;
	qsort(f->facts, f->n_facts, sizeof(*f->facts), by_fact);
	for (size_t at = 0, end; at < f->n_facts; at = end) {
		for (end = at + 1; end < f->n_facts && f->facts[end].key == f->facts[at].key;)
			end++;
		judge(f, at, end, &c);
	}
	/* Where several are odd, they do different things. */
	for (size_t i = 0; i < c.n && !c.many; i++)
		if (c.list[i].more <= MORE_MAX && c.n * ODD_PROCESSES_OF <= c.of)
			keep(f->odd, &c.list[i]);
	return 0;
}

int odd_processes_find(struct odd_processes *odd, struct story *s, const struct tree_node *top)
{
	struct finding f = {.odd = odd};
	int rc = alike_read(&f.alike, s, top);

	*odd = (struct odd_processes){.n = 0};
	for (size_t at = 0, end; at < f.alike.n && !rc; at = end) {
		end = alike_end(&f.alike, at);
		if (end - at >= ODD_PROCESSES_OF)
			rc = compare(&f, at, end - at);
	}
	alike_release(&f.alike);
	free(f.facts);
	return rc;
}
