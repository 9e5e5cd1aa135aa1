/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/core/drain.h>

#include "filter_stage.h"
#include "flight.h"
#include "record.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/file.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MANY 256                 /* events that are written at once */
#define PAUSE_NS (5 * NS_PER_MS) /* between two looks at the rings; ... */
#define PAUSES_MAX 2             /* ... as often longer when there was little: a ring lasts longer still */
#define LITTLE (RING_WORDS / 256)
#define FLUSH_NS (250 * NS_PER_MS) /* what is lost at most when QEMU is killed */

static void release(struct drain *d)
{
	for (unsigned i = 0; i < DRAIN_CPUS; i++) {
		struct drain_cpu *c = atomic_exchange(&d->cpus[i], NULL);

		if (c)
			ring_values_drop(c->values);
		free(c);
	}
	filter_stage_release(d);
	free(d->flight);
	free(d->tasks);
	free(d->known);
	free(d->known_origins);
	free(d->typed);
	d->known = d->known_origins = d->typed = NULL;
	fd_close(&d->fd);
}

int drain_open(struct drain *d, struct functions *functions, const struct output *to, const struct data_facts *facts)
{
	const struct data_writer_options options = {.open = true};
	int rc;

	memset(d, 0, sizeof(*d));
	d->functions = functions;
	d->fd = output_open(to);
	if (d->fd < 0)
		return d->fd;
	d->known = calloc(FUNCTIONS_MAX / 8, 1);
	d->known_origins = calloc(RECORD_ORIGINS_MAX / 8, 1);
	if (d->known)
		d->known[0] = 1; /* the number of events that have none */
	d->typed = calloc(FUNCTIONS_MAX / 8, 1);
	rc = d->known && d->known_origins && d->typed ? data_writer_open(&d->writer, d->fd, facts, &options) : -ENOMEM;
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

/* --- Events ------------------------------------------------------------------------------------------------------- */

static int drain_cpu(struct drain *d, uint32_t cpu, uint64_t until);

/* What goes with an event, of those that waited for it; the reference with it. NULL: nothing. */
static struct ring_values *values_of(struct drain_cpu *c, unsigned kind, uint32_t number)
{
	struct ring_values *values = c->values;
	bool enters = kind == RING_CALL || kind == RING_TAIL;

	/* Calls that have ended before, unseen, are closed before another begins. */
	if (!values || (!enters && !c->returns))
		return NULL;
	c->values = NULL;
	if (c->returns ? kind == RING_RETURN : values->function == number)
		return values;
	ring_values_drop(values);
	return NULL;
}

static int put(struct drain *d, uint32_t cpu, struct drain_cpu *c, unsigned kind, uint32_t number)
{
	struct ring_values *values = NULL;
	int rc = 0;

	if (kind == RING_SWITCH)
		c->stack = number;
	else if (__builtin_expect(c->values != NULL, 0))
		values = values_of(c, kind, number);
	if (d->gate)
		rc = filter_stage_take(d, cpu, c->clock, kind, number, values);
	else if (values)
		rc = record_values(d, c->clock, values, c->returns);
	if (!d->gate && !rc)
		rc = record_event(d, cpu, c->clock, kind, number);
	ring_values_drop(values);
	return rc;
}

/* The records that follow are this vCPU's. */
static int set_activity(struct drain *d, uint32_t cpu, struct drain_cpu *c)
{
	if (d->last == cpu + 1)
		return 0;
	d->last = cpu + 1;
	return c->stack ? put(d, cpu, c, RING_SWITCH, c->stack) : 0;
}

static int put_more(struct drain *d, uint32_t cpu, struct drain_cpu *c, unsigned more, const uint64_t *words)
{
	switch (more) {
	case RING_CLOCK:
		c->clock = words[0];
		return 0;
	case RING_ARGS:
	case RING_RESULT:
		ring_values_drop(c->values);
		c->values = (struct ring_values *)(uintptr_t)words[0];
		c->returns = more == RING_RESULT;
		return 0;
	case RING_AFTER:
		return words[0] < DRAIN_CPUS ? drain_cpu(d, (uint32_t)words[0], words[1]) : 0;
	default:
		return d->gate ? filter_stage_more(d, cpu, c, more, words) : record_more(d, cpu, c->clock, more, words);
	}
}

/* Takes one event at *at and moves behind it. */
static int take(struct drain *d, uint32_t cpu, struct drain_cpu *c, uint64_t *at)
{
	const uint64_t *ring = c->ring->words;
	uint64_t word = ring[(*at)++ & (RING_WORDS - 1)], words[RING_WORDS_MAX];
	unsigned kind = data_packed_kind(word);
	uint32_t number = data_packed_function(word);
	int rc;

	c->clock += word >> DATA_PACKED_STEP;
	if (kind != RING_MORE) {
		rc = set_activity(d, cpu, c);
		return rc ? rc : put(d, cpu, c, kind, number);
	}
	for (unsigned i = 0; i < ring_more_words(number); i++)
		words[i] = ring[(*at)++ & (RING_WORDS - 1)];
	/* Another vCPU's events may follow, and be written before this one's next. */
	return put_more(d, cpu, c, number, words);
}

/* Takes events that need nothing but to be written, as far as they follow each other. */
static int take_many(struct drain *d, struct drain_cpu *c, uint64_t *at, uint64_t until)
{
	const uint64_t *words = &c->ring->words[*at & (RING_WORDS - 1)];
	uint64_t max = RING_WORDS - (*at & (RING_WORDS - 1)); /* to where the ring begins again */
	size_t n = 0;

	if (max > until - *at)
		max = until - *at;
	if (max > MANY)
		max = MANY;
	while (n < max && data_packed_kind(words[n]) <= RING_IRQ_EXIT &&
	       record_knows(d, data_packed_function(words[n])))
		n++;
	*at += n;
	return n ? data_writer_packed(d->writer, &c->clock, words, n) : 0;
}

/* Takes the events of a ring up to a position. */
static int drain_cpu(struct drain *d, uint32_t cpu, uint64_t until)
{
	struct drain_cpu *c = atomic_load_explicit(&d->cpus[cpu], memory_order_acquire);
	uint64_t at, from;
	int rc = 0;

	if (!c || c->busy)
		return 0;
	c->busy = true;
	at = from = atomic_load_explicit(&c->ring->tail, memory_order_relaxed);
	while (at < until && !rc) {
		if (!d->gate && d->last == cpu + 1 && !c->values)
			rc = take_many(d, c, &at, until);
		if (!rc && at < until)
			rc = take(d, cpu, c, &at);
		/* Now, so that the producer need not wait for all of it. */
		atomic_store_explicit(&c->ring->tail, at, memory_order_release);
	}
	c->busy = false;
	d->taken += at - from;
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
	return rc || !d->flight ? rc : flight_look(d);
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
	struct timespec pause = {0};
	struct drain *d = user;
	long pauses = 1;

	while (!atomic_load_explicit(&d->stop, memory_order_acquire)) {
		uint64_t before = d->taken;

		d->error = drain_run(d);
		if (d->error)
			break;
		pauses = d->taken - before > LITTLE ? 1 : pauses < PAUSES_MAX ? pauses + 1 : pauses;
		pause.tv_nsec = pauses * PAUSE_NS;
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

int drain_stop(struct drain *d)
{
	atomic_store_explicit(&d->stop, true, memory_order_release);
	if (d->running)
		pthread_join(d->thread, NULL);
	d->running = false;
	if (!d->error)
		d->error = drain_run(d);
	close_rings(d);
	return d->error;
}

int drain_unfinished(struct drain *d, const uint64_t words[12])
{
	if (!d->error && (!d->gate || gate_is_open(d->gate)))
		d->error = record_more(d, 0, 0, RING_UNFINISHED, words);
	else
		ring_texts_free((struct ring_texts *)(uintptr_t)words[11]);
	return d->error;
}

int drain_message(struct drain *d, uint32_t cpu, uint64_t clock, struct ring_message *message)
{
	const uint64_t word = (uintptr_t)message;
	struct drain_cpu *c = atomic_load_explicit(&d->cpus[cpu], memory_order_acquire);

	if (d->error || !c) {
		free(message);
		return d->error;
	}
	c->clock = clock > c->clock ? clock : c->clock;
	d->error = put_more(d, cpu, c, RING_MESSAGE, &word);
	return d->error;
}

int drain_end(struct drain *d, const char *note)
{
	struct data_event event = {.type = DATA_NOTE, .note = record_text(note)};
	int rc = drain_stop(d);

	if (!rc && d->gate)
		rc = gate_end(d->gate);
	if (d->flight)
		flight_end(d);
	if (!rc && note)
		rc = data_writer_event(d->writer, &event);
	if (rc)
		data_writer_abandon(d->writer);
	else
		rc = data_writer_close(d->writer);
	release(d);
	return rc;
}
