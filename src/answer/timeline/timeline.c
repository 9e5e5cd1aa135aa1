/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The items as such, and which of them are shown. */
#include "timeline.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define FEW 20u        /* of fewer lines than this, none is kept for programs or for what is left out */
#define SMALLEST 4000u /* an item is shown when it has this fraction of all time, or more */

struct timeline *timeline_new(void)
{
	struct timeline *t = calloc(1, sizeof(*t));

	/* The first one stands for none. */
	if (t && !timeline_add(t, &(struct timeline_item){.name = "", .module = "", .task = ""}) && t->n)
		return t;
	timeline_free(t);
	return NULL;
}

uint32_t timeline_add(struct timeline *t, const struct timeline_item *item)
{
	if (t->n == UINT32_MAX || grow_array((void **)&t->items, t->n, &t->cap, sizeof(*t->items)))
		return 0;
	t->items[t->n] = *item;
	t->phases += item->kind == TIMELINE_PHASE && t->n;
	return (uint32_t)t->n++;
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	free(t->items);
	free(t->rests);
	free(t->sorted);
	pool_release(&t->texts);
	free(t);
}

/* --- Choice --------------------------------------------------------------------------------------------------------
 */

static uint64_t weight_of(const struct timeline_item *item)
{
	return item->ran > item->delay ? item->ran : item->delay;
}

/* A function that does nothing but call one other says nothing: it has no news. */
static void find_news(struct timeline *t)
{
	uint64_t *largest = calloc(t->n, sizeof(*largest));

	for (size_t i = 1; i < t->n; i++)
		t->items[i].news = weight_of(&t->items[i]);
	if (!largest)
		return;
	for (size_t i = 1; i < t->n; i++)
		if (largest[t->items[i].parent] < weight_of(&t->items[i]))
			largest[t->items[i].parent] = weight_of(&t->items[i]);
	for (size_t i = 1; i < t->n; i++)
		if (t->items[i].kind == TIMELINE_FUNCTION)
			t->items[i].news -= largest[i] < t->items[i].news ? largest[i] : t->items[i].news;
	free(largest);
}

static int by_news(const void *a, const void *b)
{
	const struct timeline_item *one = *(const struct timeline_item *const *)a;
	const struct timeline_item *two = *(const struct timeline_item *const *)b;

	if (one->news != two->news)
		return one->news > two->news ? -1 : 1;
	return one < two ? -1 : one > two;
}

/* Programs and modules before all others. */
static int by_kind(const void *a, const void *b)
{
	const struct timeline_item *one = *(const struct timeline_item *const *)a;
	const struct timeline_item *two = *(const struct timeline_item *const *)b;
	bool first = one->kind <= TIMELINE_MODULE, second = two->kind <= TIMELINE_MODULE;

	if (first != second)
		return first ? -1 : 1;
	return by_news(a, b);
}

static int by_start(const void *a, const void *b)
{
	const struct timeline_item *one = *(const struct timeline_item *const *)a;
	const struct timeline_item *two = *(const struct timeline_item *const *)b;
	bool first = one->kind == TIMELINE_PHASE, second = two->kind == TIMELINE_PHASE;

	if (one->start != two->start)
		return one->start < two->start ? -1 : 1;
	if (first != second)
		return first ? -1 : 1;
	if (one->depth != two->depth)
		return one->depth < two->depth ? -1 : 1;
	return one < two ? -1 : one > two;
}

static bool is_program(const struct timeline_item *item)
{
	return item->kind == TIMELINE_PROGRAM || item->kind == TIMELINE_MODULE;
}

void timeline_span(const struct timeline *t, uint64_t *first, uint64_t *last)
{
	*first = UINT64_MAX;
	*last = 0;
	for (size_t i = 1; i < t->n; i++) {
		const struct timeline_item *item = &t->items[i];

		if (item->dropped || item->kind == TIMELINE_PHASE || item->kind == TIMELINE_PROGRAM)
			continue;
		if (item->start < *first)
			*first = item->start;
		if (item->start + item->elapsed > *last)
			*last = item->start + item->elapsed;
	}
}

/* Of a long recording only a moment may be wanted: what matters then is how large something is in it. */
static uint64_t length_of_calls(const struct timeline *t)
{
	uint64_t first, last, length = timeline_length(t);

	timeline_span(t, &first, &last);
	return last > first && last - first < length ? last - first : length;
}

/* Chooses up to `most` more of t->sorted, in its order: programs and modules only, or of `smallest` news. How many. */
static size_t take(struct timeline *t, size_t most, bool programs, uint64_t smallest)
{
	size_t taken = 0;

	for (size_t i = 0; i < t->n_sorted && taken < most; i++) {
		struct timeline_item *item = &t->items[t->sorted[i] - t->items];

		if (item->chosen || !item->news || (programs ? !is_program(item) : item->news < smallest))
			continue;
		item->chosen = true;
		taken++;
	}
	return taken;
}

/*
 * Sets `chosen`; t->sorted has all items. What is largest is there whatever it is; programs are some of the lines, not
 * all of them.
 */
static void choose(struct timeline *t, size_t lines)
{
	uint64_t smallest = length_of_calls(t) / SMALLEST;
	size_t programs = lines * 2 / 3, taken;

	for (size_t i = 0; i < t->n_sorted; i++)
		t->items[t->sorted[i] - t->items].chosen = !lines || t->sorted[i]->kind == TIMELINE_PHASE;
	if (!lines)
		return;
	qsort(t->sorted, t->n_sorted, sizeof(*t->sorted), by_news);
	if (lines < FEW) {
		(void)take(t, lines, false, 1);
		return;
	}
	taken = take(t, lines / 2, false, smallest ? smallest : 1);
	qsort(t->sorted, t->n_sorted, sizeof(*t->sorted), by_kind);
	taken += take(t, programs > taken ? programs - taken : 0, true, 0);
	(void)take(t, lines - taken, false, smallest ? smallest : 1);
}

static void find_levels(struct timeline *t)
{
	for (size_t i = 1; i < t->n; i++) {
		t->items[i].level = 0;
		for (uint32_t up = t->items[i].parent; up; up = t->items[up].parent)
			t->items[i].level += t->items[up].chosen;
	}
}

/* What is left out of a phase goes into a line at its end, if count. The number of items in t->sorted. */
static size_t leave_out(struct timeline *t, bool count)
{
	struct timeline_item *rest = t->rests;
	const struct timeline_item *phase = NULL;
	size_t n = t->n_sorted, kept = 0;

	for (size_t i = 0; i <= n; i++) {
		const struct timeline_item *item = i < n ? t->sorted[i] : NULL;

		if ((!item || item->kind == TIMELINE_PHASE) && rest->count)
			t->sorted[kept++] = rest++;
		if (!item)
			break;
		if (item->kind == TIMELINE_PHASE)
			phase = item;
		if (item->chosen) {
			t->sorted[kept++] = item;
			continue;
		}
		if (!count)
			continue;
		if (!rest->count)
			*rest = (struct timeline_item){.kind = TIMELINE_REST,
			                               .name = "",
			                               .module = "",
			                               .task = "",
			                               .start = item->start,
			                               .level = phase ? 0 : item->level};
		rest->count++;
	}
	return kept;
}

int timeline_choose(struct timeline *t, size_t lines, const struct timeline_item *const **items, size_t *n)
{
	free(t->sorted);
	free(t->rests);
	t->sorted = reallocarray(NULL, t->n, sizeof(*t->sorted));
	t->rests = calloc(t->phases + 2, sizeof(*t->rests));
	if (!t->sorted || !t->rests)
		return -ENOMEM;
	t->n_sorted = 0;
	for (size_t i = 1; i < t->n; i++)
		if (!t->items[i].dropped)
			t->sorted[t->n_sorted++] = &t->items[i];
	find_news(t);
	choose(t, lines);
	find_levels(t);
	qsort(t->sorted, t->n_sorted, sizeof(*t->sorted), by_start);
	*n = leave_out(t, lines >= FEW);
	*items = t->sorted;
	return 0;
}

uint64_t timeline_length(const struct timeline *t)
{
	uint64_t from = t->from > t->start ? t->from : t->start;

	return t->end > from ? t->end - from : 0;
}

size_t timeline_items(const struct timeline *t)
{
	size_t n = 0;

	for (size_t i = 1; i < t->n; i++)
		n += !t->items[i].dropped && t->items[i].kind != TIMELINE_PHASE;
	return n;
}

uint64_t timeline_start(const struct timeline *t)
{
	return t->start;
}
