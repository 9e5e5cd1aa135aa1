/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/causes/critical.h>

#include "critical_groups.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 4000000u
#define LATE_NS (5 * NS_PER_MS)    /* between a write and the end of a wait for it */
#define SIGNAL_NS (50 * NS_PER_MS) /* a signal that ended a wait is delivered within that time */

/* Where the walk is. Times are those of events. */
struct cursor {
	struct story *s;
	struct critical *critical;
	const struct tree_node *top, *node;
	struct thread_history *thread; /* NULL: nothing is known of its calls */
	uint64_t time;
	uint64_t began; /* of the top process */
	const struct wait *ended;
	const struct tree_node *waiter;
	int err;
};

static uint64_t start_of(const struct cursor *c, const struct tree_node *node)
{
	return story_event(c->s, story_start(c->s, node));
}

static uint64_t end_of(const struct cursor *c, const struct tree_node *node)
{
	return story_event(c->s, story_end(c->s, node));
}

static void add_step(struct cursor *c, uint64_t from, const struct wait *wait, bool late)
{
	struct critical *critical = c->critical;

	if (from >= c->time || c->err)
		return;
	if (critical->n >= STEPS_MAX ||
	    grow_array((void **)&critical->steps, critical->n, &critical->cap, sizeof(*critical->steps))) {
		c->err = -ENOMEM;
		return;
	}
	critical->steps[critical->n++] = (struct critical_step){
		.from = story_time(c->s, from),
		.to = story_time(c->s, c->time),
		.node = c->node,
		.wait = wait,
		.late = late,
		.ended = c->ended,
		.waiter = c->waiter,
	};
	c->time = from;
}

/* The last exec of the process in that time; 0: there was none. */
static uint64_t exec_within(const struct cursor *c, uint64_t from, uint64_t to)
{
	for (unsigned i = c->node->n_commands; i-- > 0;) {
		uint64_t exec = story_event(c->s, story_exec(c->s, c->node, i));

		if (exec > from && exec < to)
			return exec;
	}
	return 0;
}

/* A step down to `from`, at which the walk goes on. One over an exec is two: of two programs. */
static void step(struct cursor *c, uint64_t from, const struct wait *wait, bool late)
{
	if (from < c->began)
		from = c->began;
	for (uint64_t exec; !wait && !c->err && (exec = exec_within(c, from, c->time));)
		add_step(c, exec, wait, late);
	add_step(c, from, wait, late);
}

/* The last wait of the thread that had begun before now; NULL: there is none. */
static struct wait *last_wait(const struct cursor *c)
{
	size_t from = 0, to = c->thread ? c->thread->n : 0;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (c->thread->waits[middle].from < c->time)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? &c->thread->waits[from - 1] : NULL;
}

/* --- Who ended a wait --------------------------------------------------------------------------------------------- */

/* The process that a parent collected: of those with the number the one that had begun last. */
static const struct tree_node *child_of(const struct cursor *c, uint32_t pid, uint64_t by)
{
	const struct tree_node *best = NULL;

	for (const struct tree_node *child = c->node->child; child; child = child->sibling)
		if (child->pid == pid && child->end.when && start_of(c, child) < by)
			best = child;
	return best;
}

/* Of a wait that did not end: the child with the number, or (0) the last that had not ended. */
static const struct tree_node *running_child(const struct cursor *c, const struct wait *wait)
{
	const struct tree_node *best = NULL;

	if (!wait->unfinished)
		return NULL;
	for (const struct tree_node *child = c->node->child; child; child = child->sibling)
		if (!child->end.when && !child->guest && (!wait->child || child->pid == wait->child))
			best = child;
	return best;
}

/* The signal that ended a wait; NULL: none did. */
static const struct signal_got *signal_of(const struct cursor *c, const struct wait *wait)
{
	const struct thread_history *t = c->thread;

	for (size_t i = 0; i < t->n_signals; i++) {
		const struct signal_got *got = &t->signals[i];

		if (got->time + NS_PER_MS >= wait->to && got->time <= wait->to + SIGNAL_NS)
			return got;
	}
	return NULL;
}

/* The latest of those that may have ended a wait for objects: by now, for a call may have ended the wait of another one
 * before it returned, and what that one does next has not helped it. */
static const struct wake *waker_of(const struct cursor *c, const struct wait *wait)
{
	static const unsigned kinds[] = {
		[WAIT_DATA] = WAKE_GIVES | WAKE_CLOSES,
		[WAIT_ROOM] = WAKE_TAKES | WAKE_CLOSES,
		[WAIT_OPEN] = WAKE_OPENS,
		[WAIT_CONNECT] = 0,
		[WAIT_ACCEPT] = WAKE_GIVES,
		[WAIT_LOCK] = WAKE_CLOSES,
		[WAIT_FUTEX] = WAKE_GIVES,
		[WAIT_POLL] = WAKE_GIVES | WAKE_CLOSES,
		[WAIT_CALL] = 0,
		[WAIT_STOPPED] = 0,
	};
	const struct history *h = &c->s->history;
	const struct wake *best = NULL;
	uint64_t by = wait->to < c->time ? wait->to : c->time;

	for (uint32_t i = 0; i < wait->n; i++) {
		const struct object *o = objects_at(&h->objects, h->waited[wait->first + i]);
		uint32_t from = o->peer ? o->peer : h->waited[wait->first + i];
		const struct wake *wake =
			objects_waker(&h->objects, from, c->thread->thread->number, by, kinds[wait->kind]);

		/* A listening socket: somebody connects. */
		if (!wake && wait->kind == WAIT_POLL && o->address && !o->peer)
			wake = objects_waker(&h->objects, o->address, c->thread->thread->number, by, WAKE_GIVES);
		/* A reader that had waited for data before has made no room. */
		if (wake && wait->kind == WAIT_ROOM && wake->enter < wait->from)
			continue;
		if (wake && wake->exit >= wait->from && (!best || wake->enter > best->enter))
			best = wake;
	}
	return best;
}

/* From here on it is told who waited for the one that the walk goes to; NULL: nobody else. */
static void keeps(struct cursor *c, const struct wait *wait)
{
	c->ended = wait;
	c->waiter = c->node;
}

/* Goes on in another process. False: that brings nothing. */
static bool go_to(struct cursor *c, const struct tree_node *node, struct thread_history *thread, uint64_t time,
                  const struct wait *wait)
{
	bool late;

	if (!node || time > c->time)
		time = c->time;
	if (!node || time <= wait->from)
		return false;
	/* Until it runs again is its own; unless it does so too late, as a processor would let it. */
	late = (wait->kind == WAIT_DATA || wait->kind == WAIT_POLL) && c->time - time >= LATE_NS;
	step(c, time, late ? wait : NULL, late);
	/* Who waits for a child keeps those waiting who wait for it. */
	if (wait->kind != WAIT_CHILD)
		keeps(c, c->node == node ? NULL : wait);
	c->node = node;
	c->thread = thread;
	return true;
}

static bool go_to_child(struct cursor *c, const struct wait *wait, uint32_t pid)
{
	const struct tree_node *child = pid ? child_of(c, pid, wait->to) : NULL;

	if (!child && wait->kind == WAIT_CHILD)
		child = running_child(c, wait);
	return child && go_to(c, child, story_main_thread(c->s, child), end_of(c, child), wait);
}

/* pthread_join(3): the thread that ended. */
static bool go_to_thread(struct cursor *c, const struct wait *wait)
{
	const struct process_history *p = story_history(c->s, c->node);

	for (struct thread_history *t = p ? p->threads : NULL; t; t = t->sibling)
		if (t->thread->tid == wait->child && t != c->thread && t->thread->ended &&
		    t->thread->end > wait->from && t->thread->end <= wait->to + LATE_NS)
			return go_to(c, c->node, t, t->thread->end, wait);
	return false;
}

static bool go_to_sender(struct cursor *c, const struct wait *wait)
{
	const struct signal_got *got = signal_of(c, wait);
	const struct tree_node *node = NULL;

	if (!got || !got->pid)
		return false;
	if (child_of(c, got->pid, wait->to))
		return go_to_child(c, wait, got->pid);
	for (size_t i = 0; i < c->s->history.n_processes && !node; i++) {
		const struct process_history *p = c->s->history.processes[i];

		if (p && p->process->pid == got->pid && p->process->start <= wait->to &&
		    (!p->process->end || p->process->end + SIGNAL_NS >= wait->to))
			node = process_tree_node(c->s->tree, p->process->number);
	}
	return node && go_to(c, node, story_main_thread(c->s, node), got->time, wait);
}

static bool go_to_waker(struct cursor *c, const struct wait *wait)
{
	const struct wake *wake;
	struct thread_history *thread;

	if (wait->kind == WAIT_CHILD)
		return go_to_child(c, wait, wait->child);
	if (wait->kind == WAIT_SIGNAL || wait->kind == WAIT_STOPPED || wait->interrupted)
		return go_to_sender(c, wait);
	if (wait->timed_out || wait->kind == WAIT_SLEEP)
		return false;
	wake = waker_of(c, wait);
	if (!wake)
		return wait->kind == WAIT_FUTEX && go_to_thread(c, wait);
	thread = history_thread(&c->s->history, wake->thread);
	return thread &&
	       go_to(c, process_tree_node(c->s->tree, thread->thread->process->number), thread, wake->exit, wait);
}

/* --- The walk ----------------------------------------------------------------------------------------------------- */

/* To where the thread or process was begun. False: it is the first one. */
static bool to_parent(struct cursor *c)
{
	const struct tree_node *node = c->node;
	struct thread_history *first = story_main_thread(c->s, node);
	uint64_t start = start_of(c, node);

	if (c->thread && first && c->thread != first) {
		step(c, c->thread->thread->start, NULL, false);
		c->thread = first;
		return true;
	}
	step(c, start, NULL, false);
	if (node == c->top || !node->parent)
		return false;
	if (start < c->time)
		c->time = start;
	c->node = node->parent;
	c->thread = story_main_thread(c->s, c->node);
	return true;
}

/* Of a process whose calls are unknown: it waited for the child that ended last. */
static bool walk_unknown(struct cursor *c)
{
	const struct tree_node *last = NULL;
	uint64_t end = 0;

	for (const struct tree_node *child = c->node->child; child; child = child->sibling) {
		uint64_t e = end_of(c, child);

		if (!child->end.when || child->guest || e > c->time || e <= end || start_of(c, child) >= c->time)
			continue;
		last = child;
		end = e;
	}
	if (!last)
		return to_parent(c);
	step(c, end, NULL, false);
	c->time = end;
	c->ended = NULL;
	c->node = last;
	c->thread = story_main_thread(c->s, last);
	return true;
}

/* The other end had written before the wait began, and nothing since. */
static bool is_late(const struct cursor *c, const struct wait *wait)
{
	const struct history *h = &c->s->history;
	const struct object *o = wait->n ? objects_at(&h->objects, h->waited[wait->first]) : NULL;

	return o && o->peer && wait->kind == WAIT_DATA && !wait->at_end && !wait->interrupted &&
	       wait->to - wait->from >= LATE_NS && objects_at(&h->objects, o->peer)->n;
}

static bool walk(struct cursor *c)
{
	struct wait *wait;
	uint64_t began;
	bool again;

	/* What was before that wait began has kept nobody waiting. */
	if (c->ended && c->time <= c->ended->from)
		c->ended = NULL;
	if (!c->thread)
		return walk_unknown(c);
	wait = last_wait(c);
	began = c->thread->thread->start;
	if (!wait || wait->to <= began)
		return to_parent(c);
	if (wait->to < c->time)
		step(c, wait->to, NULL, false);
	/* One that was walked is come back to while it lasts: who ended it is known, and more was not asked of it. */
	again = wait->walked;
	wait->walked = true;
	if (again || !go_to_waker(c, wait))
		step(c, wait->from, wait, is_late(c, wait));
	return true;
}

int critical_find(struct critical *critical, struct story *s, const struct tree_node *top)
{
	struct cursor c = {.s = s, .critical = critical, .top = top, .node = top};

	*critical = (struct critical){0};
	c.thread = story_main_thread(s, top);
	c.time = end_of(&c, top);
	c.began = start_of(&c, top);
	for (size_t i = 0; i < STEPS_MAX && !c.err && c.time > c.began && walk(&c); i++)
		;
	return c.err ? c.err : critical_group(critical, s, top);
}

void critical_release(struct critical *critical)
{
	free(critical->steps);
	free(critical->groups);
	*critical = (struct critical){0};
}
