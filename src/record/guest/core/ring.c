/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/core/ring.h>

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define WAIT_NS 100000 /* between two looks at a full ring */

static const uint8_t words_of[RING_MORE_KINDS] = {
	[RING_CLOCK] = 1,       [RING_SYNC] = 1,     [RING_AFTER] = 2,   [RING_TASK] = 6,
	[RING_MODULE] = 1,      [RING_SYSCALL] = 12, [RING_OWNER] = 2,   [RING_NOTE] = 1,
	[RING_UNFINISHED] = 12, [RING_EXEC] = 1,     [RING_EXIT] = 3,    [RING_ARGS] = 1,
	[RING_RESULT] = 1,      [RING_WAKE] = 1,     [RING_MESSAGE] = 1, [RING_HELD] = 2,
};

int ring_init(struct ring *ring)
{
	*ring = (struct ring){.words = calloc(RING_WORDS, sizeof(*ring->words))};
	return ring->words ? 0 : -ENOMEM;
}

void ring_release(struct ring *ring)
{
	free(ring->words);
	ring->words = NULL;
}

void ring_wait(struct ring *ring)
{
	const struct timespec pause = {.tv_nsec = WAIT_NS};

	for (;;) {
		uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);

		/* The room that is left out is for the words behind an event. */
		ring->room = tail + RING_WORDS - 2 * (RING_WORDS_MAX + 1);
		if (ring->at < ring->room)
			return;
		if (atomic_load_explicit(&ring->closed, memory_order_relaxed)) {
			atomic_store_explicit(&ring->tail, ring->at, memory_order_relaxed);
			continue;
		}
		nanosleep(&pause, NULL);
	}
}

void ring_texts_free(struct ring_texts *texts)
{
	for (unsigned i = 0; texts && i < texts->n; i++) {
		const char *text = texts->items[i].text;

		if (text < texts->room || text >= texts->room + sizeof(texts->room))
			free(texts->items[i].text);
	}
	free(texts);
}

unsigned ring_more_words(unsigned more)
{
	return more < RING_MORE_KINDS ? words_of[more] : 0;
}

void ring_put_more(struct ring *ring, uint64_t clock, enum ring_more more, const uint64_t *words)
{
	uint64_t delta = clock - ring->clock;

	if (ring->at >= ring->room)
		ring_wait(ring);
	/* RING_CLOCK says the whole of it. */
	if (delta > UINT32_MAX && more != RING_CLOCK)
		ring_put_more(ring, clock, RING_CLOCK, &clock);
	delta = clock - ring->clock;
	ring->clock = clock;
	ring->words[ring->at++ & (RING_WORDS - 1)] =
		(more == RING_CLOCK ? 0 : delta << DATA_PACKED_STEP) | (uint64_t)RING_MORE << DATA_PACKED_KIND | more;
	for (unsigned i = 0; i < words_of[more]; i++)
		ring->words[ring->at++ & (RING_WORDS - 1)] = words[i];
	atomic_store_explicit(&ring->head, ring->at, memory_order_release);
}
