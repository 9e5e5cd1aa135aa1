/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of any times in any order come out sorted, each once, and none before it may. */
#include "src/record/sample/queue.h"
#include "tap.h"
#include <stdlib.h>

struct item {
	uint64_t time, number;
};

struct seen {
	struct item last;
	uint64_t until;
	size_t n, wrong;
	int rc;
};

static int take(void *user, const void *bytes, size_t n)
{
	struct seen *s = user;
	struct item item = {0, 0};

	s->wrong += n != sizeof(item) + item.number % 3 * 8 && n < sizeof(item);
	memcpy(&item, bytes, sizeof(item));
	s->wrong += item.time >= s->until || item.time < s->last.time ||
	            (item.time == s->last.time && s->n && item.number <= s->last.number);
	s->last = item;
	s->n++;
	return s->rc;
}

static void any_order(void)
{
	struct queue q = {.n = 0};
	struct seen s = {.until = 0};
	uint64_t base = 0, number = 0;

	srand(7);
	for (int round = 0; round < 200; round++) {
		for (int i = rand() % 50; i > 0; i--) {
			uint64_t bytes[4] = {base + (uint64_t)(rand() % 300), number++, 1, 2};

			s.wrong += queue_add(&q, bytes[0], bytes, sizeof(struct item) + (size_t)(rand() % 3) * 8) != 0;
		}
		base += 100;
		s.until = base;
		s.wrong += queue_flush(&q, base, take, &s) != 0;
	}
	s.until = UINT64_MAX;
	CHECK_INT(queue_flush(&q, UINT64_MAX, take, &s), 0);
	CHECK_INT(s.n, number);
	CHECK_INT(s.wrong, 0);
	CHECK_INT(q.n, 0);
	queue_release(&q);
}

static void ended(void)
{
	struct queue q = {.n = 0};
	struct seen s = {.until = UINT64_MAX, .rc = -5};
	const struct item item = {1, 1};

	CHECK_INT(queue_flush(&q, UINT64_MAX, take, &s), 0);
	CHECK_INT(queue_add(&q, 1, &item, sizeof(item)), 0);
	CHECK_INT(queue_flush(&q, 1, take, &s), 0);
	CHECK_INT(s.n, 0);
	CHECK_INT(queue_flush(&q, 2, take, &s), -5);
	queue_release(&q);
}

int main(void)
{
	any_order();
	ended();
	return TAP_DONE();
}
