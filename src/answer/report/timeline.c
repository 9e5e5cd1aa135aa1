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

/* A function that does nothing but call one other says nothing: it has no news. */
static void find_news(struct timeline *t)
{
	uint64_t *largest = calloc(t->n, sizeof(*largest));

	for (size_t i = 1; i < t->n; i++)
		t->items[i].news = t->items[i].ran;
	if (!largest)
		return;
	for (size_t i = 1; i < t->n; i++)
		if (largest[t->items[i].parent] < t->items[i].ran)
			largest[t->items[i].parent] = t->items[i].ran;
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

/* How many items of t->sorted are programs or modules. */
static size_t count_programs(const struct timeline *t)
{
	size_t programs = 0;

	for (size_t i = 0; i < t->n_sorted; i++)
		programs += is_program(t->sorted[i]);
	return programs;
}

/* Sets `chosen`; t->sorted has all items. */
static void choose(struct timeline *t, size_t lines)
{
	uint64_t smallest = (t->end - t->start) / SMALLEST;
	size_t programs = count_programs(t), most = lines * 2 / 3, taken = 0, others = 0;
	/* Programs are some of the lines, not all of them. */
	size_t rest = lines - (programs < most ? programs : most);

	qsort(t->sorted, t->n_sorted, sizeof(*t->sorted), lines < FEW ? by_news : by_kind);
	for (size_t i = 0; i < t->n_sorted; i++) {
		struct timeline_item *item = &t->items[t->sorted[i] - t->items];

		if (!lines || item->kind == TIMELINE_PHASE)
			item->chosen = true;
		else if (lines < FEW || is_program(item))
			item->chosen = item->news && taken++ < (lines < FEW ? lines : most);
		else
			item->chosen = item->news && item->news >= smallest && others++ < rest;
	}
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
	return t->end - t->start;
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
