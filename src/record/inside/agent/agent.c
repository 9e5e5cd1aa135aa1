/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs in the traced process at each call that is recorded: the call and what its arguments point to go into the
 * ring of the thread. Freestanding, without floating-point or vector registers, for those are the program's. The only
 * system calls here are readlink(2), and futex(2) while the tracer writes over the program's text.
 */
#include "agent.h"

#define AT_FDCWD (-100)
#define NR_READLINKAT 267
#define NR_FUTEX 202
#define FUTEX_WAIT 0
#define PATH_BYTES 1024 /* of what a descriptor refers to */

/* A record that is being made. */
struct making {
	struct record *record;
	unsigned char *at, *end;
	int failed; /* it does not fit */
};

/* agent_enter() sees that there is one. */
static const struct recipe *recipe_of(const struct area *area)
{
	return (const struct recipe *)INSIDE_RECIPES + area->rax % INSIDE_CALLS;
}

static uint64_t now(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static uint64_t argument(const struct area *area, unsigned n)
{
	return n == 0   ? area->rdi
	       : n == 1 ? area->rsi
	       : n == 2 ? area->rdx
	       : n == 3 ? area->r10
	       : n == 4 ? area->r8
	                : area->r9;
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
	return n < most ? n : most;
}

/* Room for n bytes; 0: there is none. */
static struct chunk *reserve(struct making *m, uint64_t n)
{
	struct chunk *chunk = (struct chunk *)m->at;

	if (n > INSIDE_RECORD_MAX || sizeof(*chunk) + n + 8 > (uint64_t)(m->end - m->at)) {
		m->failed = 1;
		return 0;
	}
	return chunk;
}

static void keep(struct making *m, struct chunk *chunk, uint64_t addr, uint64_t n, unsigned kind)
{
	chunk->addr = addr;
	chunk->n = (uint32_t)n;
	chunk->kind = (uint16_t)kind;
	chunk->unused = 0;
	m->record->chunks++;
	m->at += sizeof(*chunk) + ((n + 7) & ~(uint64_t)7);
}

/* n bytes at addr, or nothing when not all of them are there. */
static const void *put_bytes(struct making *m, uint64_t addr, uint64_t n)
{
	struct chunk *chunk;

	if (!n || !may_be_there(addr, n))
		return 0;
	chunk = reserve(m, n);
	if (!chunk || agent_copy(chunk + 1, addr, n))
		return 0;
	keep(m, chunk, addr, n, CHUNK_BYTES);
	return chunk + 1;
}

static void put_string(struct making *m, uint64_t addr, uint64_t most)
{
	struct chunk *chunk = may_be_there(addr, 1) ? reserve(m, most) : 0;
	char *bytes;
	int64_t n;

	if (!chunk)
		return;
	bytes = (char *)(chunk + 1);
	n = agent_string(bytes, addr, most);
	if (n > 0)
		keep(m, chunk, addr, (uint64_t)n, bytes[n - 1] ? CHUNK_BYTES : CHUNK_STRING);
}

/* Items of which all or none are to be there: where some are missing the program is looked at. */
static const void *put_items(struct making *m, uint64_t addr, uint64_t n)
{
	const void *bytes = put_bytes(m, addr, n);

	if (!bytes && addr && n)
		m->failed = 1;
	return bytes;
}

static void put_vectors(struct making *m, const struct need *need, uint64_t addr, uint64_t n, uint64_t total)
{
	if (n > NEED_VECTORS_MAX)
		m->failed = 1;
	for (uint64_t i = 0; i < n && i < need->most && !m->failed; i++, addr += 16) {
		const uint64_t *vector = put_items(m, addr, 16);
		uint64_t shown;

		if (!vector)
			return;
		shown = at_most(vector[1], total);
		total -= shown;
		(void)put_bytes(m, vector[0], at_most(shown, need->size));
	}
}

/* Where one is shorter than it can be there is an end, as put_dents() in target/decode has it. */
static void put_entries(struct making *m, uint64_t addr, uint64_t returned, uint64_t length_at)
{
	const uint64_t n = at_most(returned, NEED_ENTRIES_BYTES);
	struct chunk *chunk = !n || may_be_there(addr, n) ? reserve(m, sizeof(uint32_t)) : 0;
	uint32_t count = 0;
	uint16_t length;

	if (!chunk)
		return;
	for (uint64_t at = 0; at + length_at + 2 < n; at += length, count++) {
		if (agent_copy(&length, addr + at + length_at, 2))
			return;
		if (length <= length_at + 2)
			break;
	}
	*(uint32_t *)(chunk + 1) = count;
	keep(m, chunk, addr, sizeof(count), CHUNK_ENTRIES);
}

static void put_command(struct making *m, const struct area *area, uint64_t addr, int at_exit)
{
	int out, n = need_ioctl(area->rsi, &out);

	if (n > 0 && out == at_exit)
		(void)put_bytes(m, addr, (uint64_t)n);
}

static void put(struct making *m, const struct area *area, const struct need *need)
{
	uint64_t addr = argument(area, need->arg), count = argument(area, need->count);
	uint64_t returned = (int64_t)area->result > 0 ? area->result : 0;
	int found = returned || (need->kind != NEED_BYTES_FOUND && need->kind != NEED_ITEMS_FOUND);

	switch (need->kind) {
	case NEED_STRING:
		put_string(m, addr, need->size);
		break;
	case NEED_BYTES:
	case NEED_BYTES_FOUND:
		(void)put_bytes(m, addr, found ? need->size : 0);
		break;
	case NEED_COUNTED:
		(void)put_bytes(m, addr, at_most(count, need->size));
		break;
	case NEED_COUNTED_INT:
		(void)put_bytes(m, addr, (int)count > 0 ? at_most(count, need->size) : 0);
		break;
	case NEED_RETURNED:
		(void)put_bytes(m, addr, at_most(returned, need->size));
		break;
	case NEED_RETURNED_SOME:
		(void)put_bytes(m, addr, at_most(returned ? returned : 1, need->size));
		break;
	case NEED_ITEMS:
	case NEED_ITEMS_FOUND:
		(void)put_items(m, addr, found ? at_most((uint32_t)count, need->most) * need->size : 0);
		break;
	case NEED_COMMAND_IN:
	case NEED_COMMAND_OUT:
		put_command(m, area, addr, need->kind == NEED_COMMAND_OUT);
		break;
	case NEED_ENTRIES:
		put_entries(m, addr, returned, need->size);
		break;
	case NEED_EVENTS:
		(void)put_items(m, addr, at_most(returned, need->most) * need->size);
		break;
	case NEED_VECTORS:
		put_vectors(m, need, addr, count, ~(uint64_t)0);
		break;
	case NEED_FILLED_VECTORS:
		put_vectors(m, need, addr, count, returned);
		break;
	default:
		break;
	}
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
	m.at = (unsigned char *)(m.record + 1);
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

static int64_t call4(uint64_t nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	register uint64_t r10 __asm__("r10") = d;
	int64_t result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return result;
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

	if (!__atomic_load_n(&control->hold, __ATOMIC_SEQ_CST) || !has_tracer())
		return 0;
	__atomic_store_n(&area->inside, 0, __ATOMIC_SEQ_CST);
	(void)call4(NR_FUTEX, (uint64_t)&control->hold, FUTEX_WAIT, 1, (uint64_t)at_most_ns);
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
	for (const struct need *need = recipe->needs + recipe->enter; need->kind; need++)
		put(m, area, need);
	return !m->failed;
}

/* Whether there may be no room for what is there at its end, when it is too late to stop. */
static int is_too_much(const struct area *area, const struct recipe *recipe)
{
	for (const struct need *need = recipe->needs + recipe->exit; need->kind; need++) {
		uint64_t each = sizeof(uint64_t[2]) + need->size + 3 * sizeof(struct chunk);

		if (need->kind == NEED_FILLED_VECTORS &&
		    argument(area, need->count) > at_most(NEED_BYTES_MAX / each, NEED_VECTORS_MAX))
			return 1;
	}
	return 0;
}

static int enter(struct area *area)
{
	const struct recipe *recipe = recipe_of(area);
	uint64_t used = area->head - __atomic_load_n(&area->tail, __ATOMIC_ACQUIRE);
	struct making m;

	area->full = !recipe->unseen && used > area->limit;
	if (area->rax >= INSIDE_CALLS || !recipe_records(recipe, area->rdi, area->rsi) || area->full ||
	    (area->links == LINKS_OUTSIDE && recipe_gives_fd(recipe, area->rsi)) || (recipe->masks && area->blocked))
		return 0;
	area->second = area->rsi;
	if (!recipe->unseen && (is_too_much(area, recipe) || !put_entry(&m, area, recipe)))
		return 0;
	if (recipe->class == RECIPE_MASK)
		agent_take_mask(area);
	else if (recipe->class == RECIPE_SIGNAL)
		agent_take_action(area);
	if (!recipe->unseen) {
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

static void put_link(struct making *m, uint64_t fd)
{
	char name[] = "/proc/thread-self/fd/\0\0\0\0\0\0\0\0\0\0";
	struct chunk *chunk = reserve(m, PATH_BYTES);
	unsigned at = sizeof("/proc/thread-self/fd/") - 1, n = 0;
	char digits[12];
	int64_t got;

	if (!chunk)
		return;
	do
		digits[n++] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (n)
		name[at++] = digits[--n];
	got = call4(NR_READLINKAT, (uint64_t)AT_FDCWD, (uint64_t)name, (uint64_t)(chunk + 1), PATH_BYTES);
	if (got > 0)
		keep(m, chunk, m->record->args[0], (uint64_t)got, CHUNK_LINK);
}

static void put_exit(struct area *area, const struct recipe *recipe, int error, uint64_t time)
{
	struct making m = begin(area, RECORD_EXIT);

	m.record->args[0] = area->result;
	for (const struct need *need = recipe->needs + recipe->exit; need->kind; need++) {
		if (!error || need->always)
			put(&m, area, need);
	}
	if (!error && area->links == LINKS_INSIDE && recipe_gives_fd(recipe, area->rsi) && area->result < 1u << 31)
		put_link(&m, area->result);
	m.record->args[1] = (uint64_t)m.failed;
	m.record->time = time;
	commit(area, &m);
}

int agent_exit(struct area *area)
{
	const struct recipe *recipe = recipe_of(area);
	int error = area->result > (uint64_t)-4096;
	uint64_t time = now();

	if (error && recipe->shown && has_tracer())
		return 1;
	if (recipe->class == RECIPE_MASK && !error)
		agent_show_mask(area);
	else if (recipe->class == RECIPE_SIGNAL && !error)
		agent_show_action(area);
	if (!recipe->unseen)
		put_exit(area, recipe, error, time);
	step_out(area);
	return 0;
}
