/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/time/time.h>

#include <errno.h>
#include <exectrace/answer/why/page/began.h>
#include <exectrace/answer/why/page/locks.h>
#include <exectrace/answer/why/page/who.h>
#include <exectrace/answer/why/time/growing.h>
#include <exectrace/answer/why/time/lookups.h>
#include <exectrace/base/clock.h>
#include <string.h>

#define GROUPS_MAX 8
#define GROUPS_SHORT 3 /* of a run that failed at once */
#define SHORT_NS (2 * NS_PER_S)
#define SHARE_MIN 50 /* of the whole: less than such a part is not shown */
#define ONE_BY_ONE_MIN                                                                                            \
	4             /* of the whole: processes that took more than such a part may do so because of their order \
	               */
#define LOOKED_PART 2 /* of the time that it slept, before that */
#define TRIES_MIN 3   /* failures that are a repeated attempt */
#define ABOVE_MAX 6   /* processes above that are named */

/* Nobody has connected to the address, or sent anything there. False: somebody has. */
static bool nobody_came(const struct history *h, uint32_t address, struct buf *out)
{
	const struct object *o = objects_at(&h->objects, address);

	for (size_t i = 0; i < o->n; i++)
		if (o->wakes[i].kind == WAKE_GIVES)
			return false;
	buf_puts(out, "                no recorded process has connected to ");
	page_name(out, o->name, COMMAND_MAX);
	buf_puts(out, ", or sent anything there\n");
	return true;
}

/* What was waited for in vain. */
static void nobody_wrote(const struct why *why, const struct wait *wait, struct buf *out)
{
	const struct history *h = &why->story.history;

	for (uint32_t i = 0; i < wait->n; i++) {
		const struct object *o = objects_at(&h->objects, h->waited[wait->first + i]);
		const struct object *from = o->peer ? objects_at(&h->objects, o->peer) : o;
		size_t writes = 0;

		for (size_t j = 0; j < from->n; j++)
			writes += from->wakes[j].kind == WAKE_GIVES;
		/* It listens: others connect to it, or send. */
		if (o->address && !o->peer && objects_at(&h->objects, o->address)->maker) {
			if (nobody_came(h, o->address, out))
				return;
			continue;
		}
		if (strncmp(o->name, "futex:", 6) == 0) {
			buf_puts(out, "                no recorded thread has woken it\n");
			return;
		}
		if (o->address && !objects_at(&h->objects, o->address)->maker) {
			buf_puts(out, "                no recorded process has bound ");
			page_foreign(out, objects_at(&h->objects, o->address)->name, COMMAND_MAX);
			buf_putc(out, '\n');
			return;
		}
		if (writes)
			continue;
		buf_puts(out, "                no recorded process has written to ");
		page_foreign(out, from->name, COMMAND_MAX);
		buf_putc(out, '\n');
		return;
	}
}

/* The wait of a process that takes most of a time; NULL: none takes half of it. */
static const struct wait *wait_in(const struct process_history *p, uint64_t from, uint64_t to)
{
	const struct wait *best = NULL;
	uint64_t most = (to - from) / 2;

	for (const struct thread_history *t = p->threads; t; t = t->sibling) {
		for (size_t i = 0; i < t->n; i++) {
			uint64_t a = t->waits[i].from > from ? t->waits[i].from : from;
			uint64_t b = t->waits[i].to < to ? t->waits[i].to : to;

			if (b <= a || b - a <= most)
				continue;
			most = b - a;
			best = &t->waits[i];
		}
	}
	return best;
}

/* The first child that waited most of a time, and in what; NULL: none did. */
static const struct tree_node *waiting_child(const struct why *why, const struct tree_node *node, uint64_t from,
                                             uint64_t to, const struct wait **wait)
{
	*wait = NULL;
	for (const struct tree_node *c = node->child; c; c = c->sibling) {
		const struct process_history *p = story_history(&why->story, c);

		*wait = p ? wait_in(p, from, to) : NULL;
		if (*wait)
			return c;
	}
	return NULL;
}

/* There was no room in a pipe: nobody read from it meanwhile, perhaps never. */
static void unread(const struct why *why, const struct wait *wait, struct buf *out)
{
	const struct history *h = &why->story.history;
	const struct object *o =
		wait->kind == WAIT_ROOM && wait->n ? objects_at(&h->objects, h->waited[wait->first]) : NULL;
	size_t reads = 0;

	for (size_t i = 0; o && i < o->n; i++)
		reads += o->wakes[i].kind == WAKE_TAKES;
	if (o)
		buf_puts(out, reads ? ", until somebody reads from it" : ", which no recorded process reads from");
}

/* Who waits for time to pass, or for any signal, may have a child that it waits for, and that one another. */
static void meanwhile_child(const struct why *why, const struct critical_group *g, struct buf *out)
{
	uint64_t from = story_event(&why->story, g->first), to = story_event(&why->story, g->last);
	const struct tree_node *c = g->latest;
	enum wait_kind kind = WAIT_CHILD;
	const struct wait *wait;
	unsigned shown = 0;

	if (g->wait->kind != WAIT_SIGNAL && g->wait->kind != WAIT_SLEEP && g->wait->kind != WAIT_POLL)
		return;
	while (kind == WAIT_CHILD && shown < ABOVE_MAX) {
		c = waiting_child(why, c, from, to, &wait);
		if (!c)
			break;
		buf_puts(out, shown++ ? ",\n                and its child " : "                meanwhile its child ");
		page_process(out, c, COMMAND_MAX);
		buf_puts(out, " was ");
		page_wait(why, wait, out);
		page_who_locked(why, wait, out);
		page_who_gave(why, c, wait, out);
		page_who_holds(why, c, wait, out);
		unread(why, wait, out);
		kind = wait->kind;
	}
	if (shown)
		buf_putc(out, '\n');
}

/* A pipe has an end only when nobody has it open any more: as what the process had it. */
static void held_open(const struct why *why, const struct critical_group *g, struct buf *out)
{
	const struct history *h = &why->story.history;
	const struct process_history *p = story_history(&why->story, g->latest);
	uint32_t object = g->ended->n ? h->waited[g->ended->first] : 0;

	for (size_t i = 0; p && object && g->ended->at_end && i < p->descriptors.n; i++) {
		const struct descriptor *d = &p->descriptors.items[i];

		if (d->object != object)
			continue;
		buf_printf(out, ", until nobody has it open: it was descriptor %d", d->fd);
		if (d->opener != p->process->number) {
			buf_puts(out, ", inherited from ");
			page_process_of(why, d->opener, out);
		}
		return;
	}
}

/* What it was doing, how often and how long. */
static void group_line(const struct why *why, const struct critical_group *g, uint64_t whole, struct buf *out)
{
	struct buf time = BUF_INIT;

	clock_print(&time, g->time);
	buf_printf(out, "  %7s %3u%%  ", time.data ? time.data : "?", (unsigned)(whole ? g->time * 100 / whole : 0));
	buf_release(&time);
	if (g->processes > 1)
		buf_printf(out, "%zu x ", g->processes);
	page_process_as(out, g->latest, g->command, COMMAND_MAX);
	buf_puts(out, ": ");
	if (g->wait) {
		page_wait(why, g->wait, out);
		if (g->others && g->wait->kind == WAIT_CALL)
			buf_puts(out, " and others of its directory");
		(void)page_locks(why, g->latest, g->wait, out);
		page_who_locked(why, g->wait, out);
		if (g->wait->timed_out)
			page_who_gave(why, g->latest, g->wait, out);
	} else {
		buf_puts(out, story_history(&why->story, g->node) ? "computing" : "running");
	}
	if (g->steps > 1) {
		buf_printf(out, ", %zu times, at most ", g->steps);
		clock_print(out, g->longest);
		if (g->timed_out && g->timed_out < g->steps)
			buf_printf(out, "; of %zu the time was over", g->timed_out);
	}
	buf_printf(out, "\n                ");
	page_foreign(out, g->programs, 2 * COMMAND_MAX);
	buf_puts(out, ", from ");
	clock_print(out, g->first);
	buf_puts(out, " to ");
	clock_print(out, g->last);
	buf_putc(out, '\n');
}

/* What failed again and again while it waited for time to pass. */
static void meanwhile_tries(const struct why *why, const struct critical_group *g, struct buf *out)
{
	struct buf what = BUF_INIT;

	if (page_meanwhile(why, g->latest, story_event(&why->story, g->first), story_event(&why->story, g->last),
	                   TRIES_MIN, &what))
		buf_printf(out, "                meanwhile %s\n", what.data);
	buf_release(&what);
}

/* What a process had looked for in vain before it slept, and what was made while it did; NULL: nothing. */
static const struct object *made_meanwhile(const struct why *why, const struct process_history *p, uint64_t from,
                                           uint64_t to)
{
	for (size_t i = p ? p->n_failures : 0; i-- > 0;) {
		const struct failure *f = &p->failures[i];
		const struct object *o = f->object ? objects_at(&why->story.history.objects, f->object) : NULL;

		if ((f->error == ENOENT || f->error == ECONNREFUSED) && f->last + (to - from) / LOOKED_PART >= from &&
		    f->last <= to && o && o->maker && o->maker != p->process->number + 1 && o->made > f->last &&
		    o->made < to)
			return o;
	}
	return NULL;
}

/* It slept too long: what it waited for was there already. A shell looks, itself or by a child, and another child
 * sleeps. */
static bool overslept(const struct why *why, const struct critical_group *g, struct buf *out)
{
	const struct story *s = &why->story;
	uint64_t from = story_event(s, g->first), to = story_event(s, g->last);
	const struct tree_node *parent = g->latest->parent;
	const struct object *o = made_meanwhile(why, story_history(s, g->latest), from, to);

	if (!o && parent)
		o = made_meanwhile(why, story_history(s, parent), from, to);
	for (const struct tree_node *c = parent && !o ? parent->child : NULL; c && !o; c = c->sibling)
		o = made_meanwhile(why, story_history(s, c), from, to);
	if (!o)
		return false;
	buf_puts(out, "                ");
	page_name(out, o->name, COMMAND_MAX);
	buf_puts(out, ", which was not there before, was ");
	page_made_by(why, o, out);
	buf_puts(out, ", ");
	clock_print(out, to - o->made);
	buf_puts(out, " before this was over\n");
	return true;
}

static bool has_port(const struct history *h, uint32_t address)
{
	return address && strncmp(objects_at(&h->objects, address)->name, "port ", 5) == 0;
}

/* The kernel keeps a small write back while an earlier one was not acknowledged, which takes 40 ms (tcp(7),
 * TCP_NODELAY). */
static void came_late(const struct why *why, const struct critical_group *g, struct buf *out)
{
	const struct history *h = &why->story.history;
	const struct object *o = g->wait->n ? objects_at(&h->objects, h->waited[g->wait->first]) : NULL;
	bool tcp =
		o && (has_port(h, o->address) || (o->peer && has_port(h, objects_at(&h->objects, o->peer)->address)));

	buf_printf(out, "                %zu times what it waited for had been written already%s\n", g->late,
	           tcp ? ": TCP holds small writes back without TCP_NODELAY" : "");
}

static void group(const struct why *why, const struct critical_group *g, uint64_t whole, struct buf *out)
{
	group_line(why, g, whole, out);
	if (g->wait && g->wait->timed_out)
		nobody_wrote(why, g->wait, out);
	if (g->wait)
		page_began_with(why, g->latest, PAGE_GROUP, out);
	if (g->late)
		came_late(why, g, out);
	if (g->time >= whole / ONE_BY_ONE_MIN)
		page_one_by_one(why, g, out);
	if (g->ended) {
		buf_puts(out, "                it kept ");
		page_process(out, g->waiter, COMMAND_MAX);
		buf_puts(out, " waiting, which was ");
		page_wait(why, g->ended, out);
		held_open(why, g, out);
		buf_putc(out, '\n');
	}
	if (g->wait)
		meanwhile_child(why, g, out);
	if (g->wait && (g->wait->timed_out || g->wait->kind == WAIT_SLEEP))
		if (!overslept(why, g, out))
			meanwhile_tries(why, g, out);
}

/* To one digit: "4000000" of 4503868. */
static uint64_t round_down(uint64_t n)
{
	uint64_t unit = 1;

	while (n / unit >= 10)
		unit *= 10;
	return n / unit * unit;
}

/* The command that shows more of the first group. */
static void more(const struct why *why, const struct critical_group *g, struct buf *out)
{
	const char *data = why->data.data ? why->data.data : "";

	if (!story_history(&why->story, g->latest))
		buf_printf(out, "  more: exectrace tree%s\n", data);
	else if (g->wait)
		buf_printf(out, "  more: exectrace syscalls --pid=%u --min=%lluus%s\n", g->latest->pid,
		           (unsigned long long)round_down((g->wait->to - g->wait->from) / NS_PER_US / 2 + 1), data);
	else
		buf_printf(out, "  more: exectrace syscalls --pid=%u --summary%s\n", g->latest->pid, data);
}

void page_time(const struct why *why, struct buf *out)
{
	const struct critical *c = &why->critical;
	uint64_t whole = story_end(&why->story, why->top) - story_start(&why->story, why->top), rest = 0;
	size_t shown = 0, most = why->chain.n && whole < SHORT_NS ? GROUPS_SHORT : GROUPS_MAX;

	if (!c->n_groups || !whole)
		return;
	buf_puts(out, "\nWhat it waited for, on the critical chain\n");
	for (size_t i = 0; i < c->n_groups; i++) {
		if (shown < most && (c->groups[i].time >= whole / SHARE_MIN || !i)) {
			group(why, &c->groups[i], whole, out);
			shown++;
		} else {
			rest += c->groups[i].time;
		}
	}
	if (rest) {
		buf_puts(out, "  the rest: ");
		clock_print(out, rest);
		buf_putc(out, '\n');
	}
	page_growing(why, out);
	page_small(why, out);
	page_lookups(why, out);
	more(why, &c->groups[0], out);
}
