/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what was added to rows in their order. */
#include "summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t value_of(const struct summary_row *row, enum summary_sort sort)
{
	switch (sort) {
	case SUMMARY_SORT_TOTAL:
		return row->total;
	case SUMMARY_SORT_COUNT:
		return row->count;
	case SUMMARY_SORT_ERRORS:
		return row->errors;
	case SUMMARY_SORT_MIN:
		return row->stats.min;
	case SUMMARY_SORT_AVG:
		return call_stats_mean(&row->stats);
	case SUMMARY_SORT_P50:
		return call_stats_permille(&row->stats, 500);
	case SUMMARY_SORT_P99:
		return call_stats_permille(&row->stats, 990);
	case SUMMARY_SORT_MAX:
		return row->stats.max;
	default:
		return 0;
	}
}

/* A row with what it is compared by. */
struct sortable {
	uint64_t value;
	struct summary_row *row;
};

static const char *text_of(const char *text)
{
	return text ? text : "";
}

static int by_value(const void *a, const void *b)
{
	const struct sortable *one = a, *two = b;
	int names;

	if (one->value != two->value)
		return one->value > two->value ? -1 : 1;
	names = strcmp(text_of(one->row->call), text_of(two->row->call));
	if (!names)
		names = strcmp(text_of(one->row->what), text_of(two->row->what));
	if (!names)
		names = strcmp(text_of(one->row->path), text_of(two->row->path));
	if (names || !one->row->process || !two->row->process)
		return names;
	return one->row->process->number < two->row->process->number ? -1 : 1;
}

/* The rows in their order, for free(3); NULL without memory. */
static struct sortable *sort_rows(const struct summary *s, enum summary_sort sort)
{
	struct sortable *sorted = calloc(s->n + 1, sizeof(*sorted));

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < s->n; i++)
		sorted[i] = (struct sortable){value_of(s->rows[i], sort), s->rows[i]};
	qsort(sorted, s->n, sizeof(*sorted), by_value);
	return sorted;
}

/* --- Processes ---------------------------------------------------------------------------------------------------- */

/* Rows for the ancestors of those that have some. 0 or -ENOMEM. */
static int add_ancestors(struct summary *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct recorded_process *parent = s->rows[i]->process->parent;

		/* The new row comes behind, so that its own parent is looked at too. */
		if (parent && !summary_process_row(s, parent))
			return -ENOMEM;
	}
	return 0;
}

/* Parents have lower numbers than their children (answer/recording/recording.h). */
static void add_up(struct summary *s)
{
	for (size_t i = s->n_processes; i--;) {
		struct summary_row *row = s->processes[i], *parent;

		if (!row || !row->process->parent)
			continue;
		parent = s->processes[row->process->parent->number];
		parent->total += row->total;
		parent->count += row->count;
		parent->errors += row->errors;
		parent->threads += row->threads;
		parent->processes += row->processes;
	}
	for (size_t i = 0; i < s->n_processes; i++) {
		struct summary_row *row = s->processes[i];

		if (row && row->process->parent)
			row->depth = s->processes[row->process->parent->number]->depth + 1;
	}
}

/* Lists of children by the number of their process plus 1; 0 ends a list. Entry 0 of first is that of the roots. */
struct forest {
	size_t *first, *next;
};

static void link_rows(const struct forest *f, const struct sortable *sorted, size_t n)
{
	while (n--) {
		const struct recorded_process *p = sorted[n].row->process;
		size_t *first = &f->first[p->parent ? p->parent->number + 1 : 0];

		f->next[p->number + 1] = *first;
		*first = p->number + 1;
	}
}

/* Puts the rows into `to`, each tree from its root on. */
static void walk(const struct summary *s, const struct forest *f, struct summary_row *to)
{
	size_t at = f->first[0];

	while (at) {
		const struct summary_row *row = s->processes[at - 1];

		*to++ = *row;
		if (f->first[at]) {
			at = f->first[at];
			continue;
		}
		while (at && !f->next[at]) {
			const struct recorded_process *parent = s->processes[at - 1]->process->parent;

			at = parent ? parent->number + 1 : 0;
		}
		at = at ? f->next[at] : 0;
	}
}

static int copy_trees(struct summary *s, const struct sortable *sorted)
{
	struct forest f = {calloc(s->n_processes + 1, sizeof(size_t)), calloc(s->n_processes + 1, sizeof(size_t))};
	int rc = f.first && f.next ? 0 : -ENOMEM;

	if (!rc) {
		link_rows(&f, sorted, s->n);
		walk(s, &f, s->sorted);
	}
	free(f.first);
	free(f.next);
	return rc;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static int settle(struct summary *s)
{
	int rc = s->by == SUMMARY_PROCESS ? add_ancestors(s) : 0;

	call_stats_release(&s->all.stats);
	for (size_t i = 0; i < s->n && !rc; i++) {
		struct summary_row *row = s->rows[i];

		row->total = row->stats.total;
		row->count = row->stats.count;
		row->errors = row->stats.errors;
		row->threads = row->own_threads;
		row->processes = row->own_processes;
		rc = call_stats_merge(&s->all.stats, &row->stats);
	}
	s->all.threads = s->all.own_threads;
	s->all.processes = s->all.own_processes;
	s->all.total = s->all.stats.total;
	s->all.count = s->all.stats.count;
	s->all.errors = s->all.stats.errors;
	if (!rc && s->by == SUMMARY_PROCESS)
		add_up(s);
	return rc;
}

int summary_rows(struct summary *s, enum summary_sort sort, const struct summary_row **rows, size_t *n)
{
	struct sortable *sorted = NULL;
	int rc = settle(s);

	if (!rc) {
		free(s->sorted);
		s->sorted = calloc(s->n + 1, sizeof(*s->sorted));
		sorted = sort_rows(s, sort);
		rc = s->sorted && sorted ? 0 : -ENOMEM;
	}
	if (!rc && s->by == SUMMARY_PROCESS)
		rc = copy_trees(s, sorted);
	else
		for (size_t i = 0; i < s->n && !rc; i++)
			s->sorted[i] = *sorted[i].row;
	free(sorted);
	*rows = s->sorted;
	*n = rc ? 0 : s->n;
	return rc;
}
