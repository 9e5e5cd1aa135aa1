/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/waits/wait_chain.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define TURNS 64u /* from task to task at one moment */
#define DEPTH 64u /* of who waits for whom */

/* Who waited for the task at hand, since when. */
struct waiter {
	uint32_t task;
	const struct task_wait *wait;
};

struct walk {
	struct wait_chain *chain;
	uint32_t task;
	uint64_t at;
	struct waiter waiters[DEPTH]; /* the outermost first */
	unsigned n_waiters;
	unsigned turns; /* since time went on */
	bool over;
};

static const struct waits_task *task_at(const struct walk *w, uint32_t number)
{
	return task_waits_at(w->chain->waits, number);
}

/* --- One step ----------------------------------------------------------------------------------------------------- */

static int add(struct walk *w, uint64_t from, enum link_kind kind, const struct task_wait *wait)
{
	struct wait_chain *chain = w->chain;
	const struct waiter *waiter = w->n_waiters ? &w->waiters[w->n_waiters - 1] : NULL;

	if (from >= w->at)
		return 0;
	if (grow_array((void **)&chain->links, chain->n, &chain->cap, sizeof(*chain->links)))
		return -ENOMEM;
	chain->links[chain->n++] = (struct chain_link){.from = from,
	                                               .to = w->at,
	                                               .task = w->task,
	                                               .kind = kind,
	                                               .wait = wait,
	                                               .for_task = waiter ? waiter->task : WAITS_NOBODY,
	                                               .for_wait = waiter ? waiter->wait : NULL};
	w->at = from;
	w->turns = 0;
	return 0;
}

static void add_waiter(struct walk *w, const struct task_wait *wait)
{
	if (w->n_waiters == DEPTH)
		memmove(w->waiters, w->waiters + 1, --w->n_waiters * sizeof(*w->waiters));
	w->waiters[w->n_waiters++] = (struct waiter){w->task, wait};
}

/* The chain goes on with another task, for which this one waited, or which gave it work. False: it may not. */
static bool turn(struct walk *w, uint32_t to, const struct task_wait *wait)
{
	if (to == WAITS_NOBODY || to == w->task || ++w->turns > TURNS)
		return false;
	if (!wait->idle)
		add_waiter(w, wait);
	w->task = to;
	return true;
}

/* Nobody waits any more for what was before the wait began. */
static void forget_waiters(struct walk *w)
{
	while (w->n_waiters && w->waiters[w->n_waiters - 1].wait->from >= w->at)
		w->n_waiters--;
}

/*
 * A wait that no task ended. What it waited for before somebody waited for this task delayed nobody: there the chain
 * goes back to who waited.
 */
static int lasts(struct walk *w, const struct task_wait *wait)
{
	const struct waiter *waiter = w->n_waiters ? &w->waiters[w->n_waiters - 1] : NULL;
	bool back = waiter && waiter->wait->from > wait->from;
	int rc = add(w, back ? waiter->wait->from : wait->from, LINK_WAITED, wait);

	if (back) {
		w->task = waiter->task;
		w->n_waiters--;
	}
	return rc;
}

/* The youngest child that has not ended; WAITS_NOBODY: none. */
static uint32_t child_of(const struct walk *w, uint32_t parent)
{
	for (size_t i = task_waits_count(w->chain->waits); i-- > 0;)
		if (task_at(w, (uint32_t)i)->parent == parent && !task_at(w, (uint32_t)i)->ended)
			return (uint32_t)i;
	return WAITS_NOBODY;
}

static int in_wait(struct walk *w, const struct task_wait *wait)
{
	int rc;

	if (wait->preempted)
		return add(w, wait->from, LINK_READY, wait);
	if (wait->end == WAIT_NOT_ENDED || wait->woken >= w->at) {
		/* It waits at the end of the recording. */
		if (wait->for_child && turn(w, child_of(w, w->task), wait))
			return 0;
		return lasts(w, wait);
	}
	rc = add(w, wait->woken, LINK_READY, wait);
	if (rc || (wait->end == WAIT_BY_TASK && turn(w, wait->waker, wait)))
		return rc;
	return lasts(w, wait);
}

/* Before its beginning its parent made it. */
static int before_it(struct walk *w, const struct waits_task *task)
{
	int rc = add(w, task->began, LINK_RAN, NULL);

	w->over = rc || task->parent == WAITS_NOBODY || ++w->turns > TURNS;
	w->task = w->over ? w->task : task->parent;
	return rc;
}

static int step(struct walk *w)
{
	const struct waits_task *task = task_at(w, w->task);
	const struct task_wait *wait = waits_task_before(task, w->at);

	forget_waiters(w);
	if (wait && wait->to < w->at)
		return add(w, wait->to, LINK_RAN, NULL);
	return wait ? in_wait(w, wait) : before_it(w, task);
}

/* --- The end ------------------------------------------------------------------------------------------------------ */

/* A program runs to the end: it is what switches the guest off, or is still at work. */
static bool runs_to_end(const struct waits_task *task)
{
	return !task->kernel && !task->ended && !(task->n && task->waits[task->n - 1].to == UINT64_MAX);
}

/* The task at which the chain ends: else the first program, or what ran last. */
static uint32_t last_task(struct task_waits *waits)
{
	uint32_t last = task_waits_last(waits);

	if (last == WAITS_NOBODY || runs_to_end(task_waits_at(waits, last)))
		return last;
	for (uint32_t i = (uint32_t)task_waits_count(waits); i-- > 0;)
		if (task_waits_at(waits, i)->pid == 1)
			return i;
	return last;
}

static void turn_round(struct wait_chain *chain)
{
	for (size_t i = 0, k = chain->n; i + 1 < k; i++) {
		struct chain_link link = chain->links[i];

		chain->links[i] = chain->links[--k];
		chain->links[k] = link;
	}
}

/* --- Time of a task on the chain ---------------------------------------------------------------------------------- */

/* The links of a task: `n` of them, in the order of time. */
struct chain_place {
	uint64_t key;
	size_t link;
};

static int by_key(const void *a, const void *b)
{
	const struct chain_place *one = a, *two = b;

	if (one->key != two->key)
		return one->key < two->key ? -1 : 1;
	return (one->link > two->link) - (one->link < two->link);
}

static int sum_up(struct wait_chain *chain)
{
	uint64_t sum = 0;

	chain->places = reallocarray(NULL, chain->n + 1, sizeof(*chain->places));
	chain->until = reallocarray(NULL, chain->n + 1, sizeof(*chain->until));
	if (!chain->places || !chain->until)
		return -ENOMEM;
	for (size_t i = 0; i < chain->n; i++) {
		const struct waits_task *task = task_waits_at(chain->waits, chain->links[i].task);

		chain->places[i] = (struct chain_place){chain_key(task->pid, task->stack), i};
	}
	chain->n_places = chain->n;
	qsort(chain->places, chain->n, sizeof(*chain->places), by_key);
	for (size_t i = 0; i < chain->n; i++) {
		const struct chain_link *link = &chain->links[chain->places[i].link];

		sum = i && chain->places[i].key == chain->places[i - 1].key ? sum : 0;
		chain->until[i] = sum += link->to - link->from;
	}
	return 0;
}

void wait_chain_window(const struct wait_chain *chain, uint32_t pid, uint32_t stack, uint64_t tick,
                       struct chain_window *window)
{
	const uint64_t key = chain_key(pid, stack);
	size_t from = 0, to = chain->n_places;
	const struct chain_link *link;
	bool first;

	/* The first link of the task that ends behind the tick. */
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		const struct chain_place *place = &chain->places[middle];

		if (place->key < key || (place->key == key && chain->links[place->link].to <= tick))
			from = middle + 1;
		else
			to = middle;
	}
	first = !from || chain->places[from - 1].key != key;
	*window = (struct chain_window){.key = key + 1,
	                                .from = first ? 0 : chain->links[chain->places[from - 1].link].to,
	                                .to = UINT64_MAX,
	                                .before = first ? 0 : chain->until[from - 1]};
	if (from == chain->n_places || chain->places[from].key != key)
		return;
	link = &chain->links[chain->places[from].link];
	window->there = tick >= link->from;
	if (window->there)
		window->from = link->from;
	window->to = window->there ? link->to : link->from;
}

const char *wait_chain_name(const struct wait_chain *chain, const struct chain_link *link)
{
	const struct waits_task *task = task_waits_at(chain->waits, link->task);

	if (link->wait)
		return link->wait->task;
	/* As in its next wait. */
	for (size_t i = 0; i < task->n; i++)
		if (task->waits[i].from >= link->to)
			return task->waits[i].task;
	return task->name;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

int wait_chain_make(struct wait_chain *chain, struct task_waits *waits)
{
	struct walk w = {.chain = chain, .task = WAITS_NOBODY, .at = task_waits_end(waits)};
	int rc = 0;

	*chain = (struct wait_chain){.waits = waits};
	if (task_waits_has_wakes(waits))
		w.task = last_task(waits);
	while (!rc && !w.over && w.task != WAITS_NOBODY)
		rc = step(&w);
	turn_round(chain);
	return rc ? rc : sum_up(chain);
}

int wait_chain_read(struct wait_chain *chain, struct task_waits **waits, struct replay *p)
{
	struct replay_sink sink;
	int rc = task_waits_new(waits, p);

	if (rc)
		return rc;
	sink = task_waits_sink(*waits);
	rc = replay_run_all(p, &sink);
	return rc ? rc : wait_chain_make(chain, *waits);
}

void wait_chain_release(struct wait_chain *chain)
{
	free(chain->links);
	free(chain->places);
	free(chain->until);
	*chain = (struct wait_chain){0};
}
