/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "drain.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAUSE_NS (5 * NS_PER_MS)   /* between two looks at the rings; a ring lasts longer */
#define FLUSH_NS (250 * NS_PER_MS) /* what is lost at most when QEMU is killed */
#define ORIGINS_MAX (1u << 16)
#define ERRNO_MAX 4095 /* results from -4095 to -1 are errors */

static void release(struct drain *d)
{
	for (unsigned i = 0; i < DRAIN_CPUS; i++)
		free(atomic_exchange(&d->cpus[i], NULL));
	free(d->known);
	free(d->known_origins);
	d->known = d->known_origins = NULL;
	fd_close(&d->fd);
}

int drain_open(struct drain *d, struct functions *functions, const char *path, const struct data_facts *facts)
{
	const struct data_writer_options options = {.open = true};
	int rc;

	memset(d, 0, sizeof(*d));
	d->functions = functions;
	d->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (d->fd < 0)
		return -errno;
	d->known = calloc(FUNCTIONS_MAX / 8, 1);
	d->known_origins = calloc(ORIGINS_MAX / 8, 1);
	rc = d->known && d->known_origins ? data_writer_open(&d->writer, d->fd, facts, &options) : -ENOMEM;
	if (rc)
		release(d);
	d->flushed = clock_now();
	return rc;
}

int drain_add(struct drain *d, uint32_t cpu, struct ring *ring)
{
	struct drain_cpu *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->ring = ring;
	atomic_store_explicit(&d->cpus[cpu], c, memory_order_release);
	return 0;
}

/* --- What the events need ----------------------------------------------------------------------------------------- */

/* Sets a bit; what it was before. */
static bool test_and_set(uint8_t *bits, uint64_t i)
{
	bool was = bits[i / 8] >> i % 8 & 1;

	bits[i / 8] |= (uint8_t)(1 << i % 8);
	return was;
}

static struct data_text text_of(const char *text)
{
	return (struct data_text){text ? text : "", text ? strlen(text) : 0};
}

static int define_origin(struct drain *d, uint64_t clock, const struct origin *origin)
{
	struct data_event event = {.type = DATA_FILE, .clock = clock_now()};
	int rc;

	if (origin->id >= ORIGINS_MAX || test_and_set(d->known_origins, origin->id))
		return 0;
	event.file.id = origin->id;
	event.file.path = text_of(origin->name);
	rc = data_writer_event(d->writer, &event);
	if (rc || !origin->address)
		return rc;
	event = (struct data_event){.type = DATA_MODULE, .clock = clock};
	event.module.file = origin->id;
	event.module.address = origin->address;
	event.module.size = origin->size;
	return data_writer_event(d->writer, &event);
}

static int define_function(struct drain *d, uint64_t clock, uint32_t id)
{
	const struct function *function = functions_at(d->functions, id);
	struct data_event event = {.type = DATA_FUNCTION, .clock = clock};
	int rc = 0;

	if (!function)
		return 0;
	if (function->origin)
		rc = define_origin(d, clock, function->origin);
	event.function.id = id;
	event.function.file = function->origin && function->origin->id < ORIGINS_MAX ? function->origin->id : 0;
	event.function.address = function->address;
	event.function.size = function->size;
	event.function.name = text_of(function->name);
	return rc ? rc : data_writer_event(d->writer, &event);
}

/* Puts a function into the file before its first event. */
static inline int define(struct drain *d, uint64_t clock, uint32_t id)
{
	if (__builtin_expect(d->known[id % FUNCTIONS_MAX / 8] >> id % 8 & 1, 1))
		return 0;
	(void)test_and_set(d->known, id % FUNCTIONS_MAX);
	return define_function(d, clock, id);
}

/* --- Events ------------------------------------------------------------------------------------------------------- */

static int drain_cpu(struct drain *d, uint32_t cpu, uint64_t until);

/* A task, in the guest's own terms, and as the threads that make system calls are told of. */
static int put_task(struct drain *d, uint64_t clock, const uint64_t *words)
{
	struct data_event event = {.type = DATA_TASK, .clock = clock};
	uint32_t pid = (uint32_t)(words[1] >> 32), tgid = (uint32_t)words[1];
	char name[17] = "";
	int rc;

	memcpy(name, &words[3], 16);
	event.task.stack = words[0];
	event.task.pid = pid;
	event.task.tgid = tgid;
	event.task.name = text_of(name);
	rc = data_writer_event(d->writer, &event);
	if (rc)
		return rc;
	event = (struct data_event){.type = DATA_THREAD, .clock = words[2], .thread = {.tid = pid, .pid = tgid}};
	rc = data_writer_event(d->writer, &event);
	if (rc)
		return rc;
	event = (struct data_event){.type = DATA_COMM, .clock = words[2], .comm = {pid, text_of(name)}};
	return data_writer_event(d->writer, &event);
}

static int put_syscall(struct drain *d, const uint64_t *words)
{
	struct data_syscall call = {
		.arch = (uint32_t)(words[0] >> 32),
		.nr = (uint32_t)words[0],
		.tid = (uint32_t)words[1],
		.enter = words[2],
		.duration = words[3] - words[2],
		.result = (int64_t)words[4],
		.nargs = DATA_ARGS,
	};

	call.error = call.result < 0 && call.result >= -ERRNO_MAX;
	memcpy(call.args, &words[5], sizeof(call.args));
	return data_writer_syscall(d->writer, &call);
}

static int put_more(struct drain *d, uint32_t cpu, struct drain_cpu *c, unsigned more, const uint64_t *words)
{
	struct data_event event = {.clock = c->clock};

	switch (more) {
	case RING_CLOCK:
		c->clock = words[0];
		return 0;
	case RING_SYNC:
		event.type = DATA_SYNC;
		event.sync.clock = words[0];
		event.sync.cpu = cpu;
		return data_writer_event(d->writer, &event);
	case RING_AFTER:
		return words[0] < DRAIN_CPUS ? drain_cpu(d, (uint32_t)words[0], words[1]) : 0;
	case RING_TASK:
		return put_task(d, c->clock, words);
	case RING_SYSCALL:
		return put_syscall(d, words);
	case RING_MODULE:
		return define_origin(d, c->clock, (const struct origin *)(uintptr_t)words[0]);
	default:
		return 0;
	}
}

/* The records that follow are this vCPU's. */
static int turn_to(struct drain *d, uint32_t cpu, struct drain_cpu *c)
{
	if (d->last == cpu + 1)
		return 0;
	d->last = cpu + 1;
	return c->stack ? data_writer_switch(d->writer, c->clock, c->stack, cpu) : 0;
}

static int put(struct drain *d, uint32_t cpu, struct drain_cpu *c, unsigned kind, uint32_t number)
{
	int rc = 0;

	switch (kind) {
	case RING_CALL:
		rc = define(d, c->clock, number);
		return rc ? rc : data_writer_call(d->writer, c->clock, number);
	case RING_RETURN:
		return data_writer_return(d->writer, c->clock);
	case RING_TAIL:
		rc = define(d, c->clock, number);
		return rc ? rc : data_writer_tail(d->writer, c->clock, number);
	case RING_IRQ_ENTER:
		rc = define(d, c->clock, number);
		return rc ? rc : data_writer_irq_enter(d->writer, c->clock, number);
	case RING_IRQ_EXIT:
		return data_writer_irq_exit(d->writer, c->clock);
	case RING_SWITCH:
		c->stack = number;
		return data_writer_switch(d->writer, c->clock, number, cpu);
	default:
		return 0;
	}
}

/* Takes one event at *at and moves behind it. */
static int take(struct drain *d, uint32_t cpu, struct drain_cpu *c, uint64_t *at)
{
	const uint64_t *ring = c->ring->words;
	uint64_t word = ring[(*at)++ & (RING_WORDS - 1)], words[RING_WORDS_MAX];
	unsigned kind = (unsigned)(word >> RING_KIND_SHIFT & 7);
	uint32_t number = (uint32_t)word & RING_NUMBER_MAX;
	int rc;

	c->clock += word >> 32;
	if (kind != RING_MORE) {
		rc = turn_to(d, cpu, c);
		return rc ? rc : put(d, cpu, c, kind, number);
	}
	for (unsigned i = 0; i < ring_more_words(number); i++)
		words[i] = ring[(*at)++ & (RING_WORDS - 1)];
	/* Another vCPU's events may follow, and be written before this one's next. */
	return put_more(d, cpu, c, number, words);
}

/* Takes the events of a ring up to a position. */
static int drain_cpu(struct drain *d, uint32_t cpu, uint64_t until)
{
	struct drain_cpu *c = atomic_load_explicit(&d->cpus[cpu], memory_order_acquire);
	uint64_t at;
	int rc = 0;

	if (!c || c->busy)
		return 0;
	c->busy = true;
	at = atomic_load_explicit(&c->ring->tail, memory_order_relaxed);
	for (unsigned n = 1; at < until && !rc; n++) {
		rc = take(d, cpu, c, &at);
		if (n % 4096 == 0) /* so that the producer need not wait for all of it */
			atomic_store_explicit(&c->ring->tail, at, memory_order_release);
	}
	if (at > atomic_load_explicit(&c->ring->tail, memory_order_relaxed))
		atomic_store_explicit(&c->ring->tail, at, memory_order_release);
	c->busy = false;
	return rc;
}

int drain_run(struct drain *d)
{
	int rc = 0;

	for (uint32_t i = 0; i < DRAIN_CPUS && !rc; i++) {
		struct drain_cpu *c = atomic_load_explicit(&d->cpus[i], memory_order_acquire);

		if (c)
			rc = drain_cpu(d, i, atomic_load_explicit(&c->ring->head, memory_order_acquire));
	}
	if (!rc && clock_now() - d->flushed > FLUSH_NS) {
		rc = data_writer_flush(d->writer);
		d->flushed = clock_now();
	}
	return rc;
}

/* --- The thread --------------------------------------------------------------------------------------------------- */

/* From now on nobody waits for room in a ring. */
static void close_rings(struct drain *d)
{
	for (uint32_t i = 0; i < DRAIN_CPUS; i++) {
		struct drain_cpu *c = atomic_load_explicit(&d->cpus[i], memory_order_acquire);

		if (c)
			atomic_store_explicit(&c->ring->closed, true, memory_order_relaxed);
	}
}

static void *run(void *user)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	struct drain *d = user;

	while (!atomic_load_explicit(&d->stop, memory_order_acquire)) {
		d->error = drain_run(d);
		if (d->error)
			break;
		nanosleep(&pause, NULL);
	}
	close_rings(d);
	return NULL;
}

int drain_start(struct drain *d)
{
	sigset_t all, old;
	int rc;

	if (d->running)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&d->thread, NULL, run, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	d->running = !rc;
	return -rc;
}

int drain_end(struct drain *d, const char *note)
{
	struct data_event event = {.type = DATA_NOTE, .note = text_of(note)};
	int rc;

	atomic_store_explicit(&d->stop, true, memory_order_release);
	if (d->running)
		pthread_join(d->thread, NULL);
	d->running = false;
	rc = d->error ? d->error : drain_run(d);
	close_rings(d);
	if (!rc && note)
		rc = data_writer_event(d->writer, &event);
	if (rc)
		data_writer_abandon(d->writer);
	else
		rc = data_writer_close(d->writer);
	release(d);
	return rc;
}
