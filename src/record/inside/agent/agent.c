/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs in the traced process at each call that is recorded: the call and what its arguments point to go into the
 * ring of the thread. Freestanding, without floating-point or vector registers, for those are the program's. The only
 * system calls here are readlink(2), getsockopt(2), and futex(2) while the tracer writes over the program's text.
 */
#include "agent.h"

#define NR_FUTEX 202
#define FUTEX_WAIT 0
#define NR_SCHED_YIELD 24

/* agent_enter() sees that there is one. */
static const struct recipe *recipe_of(const struct area *area)
{
	return (const struct recipe *)INSIDE_RECIPES + area->rax % INSIDE_CALLS;
}

/* The list that begins there. */
static const struct need *needs_from(unsigned n)
{
	return (const struct need *)INSIDE_NEEDS + n;
}

static uint64_t now(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static struct making begin(struct area *area, unsigned type)
{
	unsigned char *ring = (unsigned char *)area + INSIDE_RING;
	uint64_t at = area->head % INSIDE_RING_BYTES;
	struct making m;

	if (INSIDE_RING_BYTES - at < INSIDE_RECORD_MAX) {
		struct record *fill = (struct record *)(ring + at);

		fill->size = (uint32_t)(INSIDE_RING_BYTES - at);
		fill->type = RECORD_FILL;
		__atomic_store_n(&area->head, area->head + fill->size, __ATOMIC_RELEASE);
		at = 0;
	}
	m.record = (struct record *)(ring + at);
	m.record->type = (uint16_t)type;
	m.record->chunks = 0;
	m.record->nr = area->rax;
	m.at = (unsigned char *)m.record + record_head(type);
	m.end = ring + at + INSIDE_RECORD_MAX;
	m.failed = 0;
	return m;
}

/* The record is there for the tracer from here on: one store, so that a signal finds it done or not. */
static void commit(struct area *area, struct making *m)
{
	m->record->size = (uint32_t)(m->at - (unsigned char *)m->record);
	__atomic_store_n(&area->head, area->head + m->record->size, __ATOMIC_RELEASE);
}

static int has_tracer(void)
{
	const struct control *control = (const struct control *)INSIDE_DATA;

	return (__atomic_load_n(&control->word, __ATOMIC_RELAXED) & 0xff) == 1;
}

/* The tracer writes over text, and lives: its death does not wake who sleeps here. */
static int waits_held(struct area *area)
{
	struct control *control = (struct control *)INSIDE_DATA;
	const int64_t at_most_ns[2] = {0, 1000000};
	const uint64_t wait[5] = {(uint64_t)&control->hold, FUTEX_WAIT, 1, (uint64_t)at_most_ns, 0};

	if (!__atomic_load_n(&control->hold, __ATOMIC_SEQ_CST) || !has_tracer())
		return 0;
	__atomic_store_n(&area->inside, 0, __ATOMIC_SEQ_CST);
	(void)agent_call(NR_FUTEX, wait);
	return 1;
}

/* Either the tracer sees that the thread is inside, and does not make it stop, or the thread sees that it is held. */
static void step_in(struct area *area)
{
	do
		__atomic_store_n(&area->inside, 1, __ATOMIC_SEQ_CST);
	while (waits_held(area));
}

static void step_out(struct area *area)
{
	__atomic_store_n(&area->inside, 0, __ATOMIC_SEQ_CST);
	while (waits_held(area))
		;
}

/* 0: it does not fit. */
static int put_entry(struct making *m, struct area *area, const struct recipe *recipe)
{
	*m = begin(area, RECORD_ENTER);
	m->record->args[0] = area->rdi;
	m->record->args[1] = area->rsi;
	m->record->args[2] = area->rdx;
	m->record->args[3] = area->r10;
	m->record->args[4] = area->r8;
	m->record->args[5] = area->r9;
	m->record->sp = area->rsp;
	for (const struct need *need = needs_from(recipe->enter); need->kind; need++)
		agent_put(m, area, need);
	if (((const struct control *)INSIDE_DATA)->stacks)
		agent_put_stack(m, area);
	return !m->failed;
}

static int counts(void)
{
	const struct control *control = (const struct control *)INSIDE_DATA;

	return control->counting != COUNT_NONE;
}

/* The tracer is to look: it does not know where the stack ends, or that is far. */
static int is_too_deep(const struct area *area)
{
	return ((const struct control *)INSIDE_DATA)->stacks && area->stack_end - area->rsp > INSIDE_STACK_COPY;
}

static int is_declined(const struct area *area, const struct recipe *recipe)
{
	return area->rax >= INSIDE_CALLS || !recipe_records(recipe, area->rdi, area->rsi) || area->full ||
	       (area->links == LINKS_OUTSIDE && recipe_gives_fd(recipe, area->rsi)) ||
	       (recipe->masks && area->blocked) || (!recipe->unseen && is_too_deep(area));
}

static int enter(struct area *area)
{
	const struct recipe *recipe = recipe_of(area);
	uint64_t used = area->head - __atomic_load_n(&area->tail, __ATOMIC_ACQUIRE);
	struct making m;

	area->full = !recipe->unseen && used > area->limit;
	if (is_declined(area, recipe))
		return 0;
	area->second = area->rsi;
	if (!recipe->unseen && !(counts() ? agent_count_begin(area) : put_entry(&m, area, recipe)))
		return 0;
	if (recipe->class == RECIPE_MASK)
		agent_take_mask(area);
	else if (recipe->class == RECIPE_SIGNAL)
		agent_take_action(area);
	area->calls++;
	if (recipe->unseen)
		return 1;
	if (counts()) {
		area->began = now();
	} else {
		m.record->time = now();
		commit(area, &m);
	}
	return 1;
}

/* 1: the call is recorded, and to be made. 0: it is to stop. */
int agent_enter(struct area *area)
{
	int made;

	step_in(area);
	made = enter(area);
	if (!made)
		step_out(area);
	return made;
}

/* 0: the tracer is to look, for it does not fit, or names are new. */
static int put_exit(struct area *area, const struct recipe *recipe, int error, uint64_t time)
{
	struct making m = begin(area, RECORD_EXIT);

	m.record->args[0] = area->result;
	for (const struct need *need = needs_from(recipe->exit); need->kind; need++) {
		if (!error || need->always)
			agent_put(&m, area, need);
	}
	if (!error && area->links == LINKS_INSIDE && recipe_gives_fd(recipe, area->rsi) && area->result < 1u << 31)
		agent_put_link(&m, area->result);
	if (m.failed && has_tracer())
		return 0;
	m.record->time = time;
	commit(area, &m);
	return 1;
}

int agent_exit(struct area *area)
{
	const struct control *control = (const struct control *)INSIDE_DATA;
	const uint64_t nothing[5] = {0, 0, 0, 0, 0};
	const struct recipe *recipe = recipe_of(area);
	int error = area->result > (uint64_t)-4096;
	uint64_t time = now();

	if (error && recipe->shown && has_tracer())
		return 1;
	if (recipe->class == RECIPE_MASK && !error)
		agent_show_mask(area);
	else if (recipe->class == RECIPE_SIGNAL && !error)
		agent_show_action(area);
	if (__atomic_load_n(&control->making, __ATOMIC_RELAXED) && has_tracer())
		(void)agent_call(NR_SCHED_YIELD, nothing);
	if (area->began)
		agent_count_end(area, time, error);
	else if (!recipe->unseen && !counts() && !put_exit(area, recipe, error, time))
		return 1;
	step_out(area);
	return 0;
}
