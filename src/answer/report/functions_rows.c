/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows: made, and ordered. */
#include "functions.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdio.h>
#include <string.h>

/* --- Making --------------------------------------------------------------------------------------------------------
 */

uint32_t functions_add_row(struct report_functions *f, const struct functions_row *row, int *rc)
{
	*rc = grow_array((void **)&f->rows, f->n, &f->cap, sizeof(*row));
	if (!*rc)
		*rc = grow_array((void **)&f->tallies, f->n, &f->cap_tallies, sizeof(*f->tallies));
	if (!*rc)
		*rc = grow_array((void **)&f->waits, f->n, &f->cap_waits, sizeof(*f->waits));
	if (*rc)
		return ROW_OUTSIDE;
	f->waits[f->n] = (struct tally_waits){0};
	f->tallies[f->n] = (struct tally){.min = UINT64_MAX};
	f->rows[f->n] = *row;
	return (uint32_t)f->n++;
}

/* The row of what is in a table under a pair of numbers, made when there is none. */
static uint32_t keyed_row(struct report_functions *f, struct idmap *map, uint64_t id, uint64_t sub,
                          const struct functions_row *row, int *rc)
{
	uint32_t number = (uint32_t)(uintptr_t)idmap_get(map, id, sub);

	if (number)
		return number;
	number = functions_add_row(f, row, rc);
	if (!*rc)
		*rc = idmap_put(map, id, sub, (char *)(uintptr_t)number);
	return number;
}

/* Of several guests a name is kept once for all of them, and longer than their recordings are open. */
static const char *keep(struct report_functions *f, const char *name, int *rc)
{
	if (f->options.several && !*rc)
		*rc = pool_text(&f->texts, name, strlen(name), &name, NULL);
	return name;
}

uint32_t functions_find_row(struct report_functions *f, uint32_t function, int *rc)
{
	const struct replay_function *what = replay_function(f->replay, function);
	struct functions_row row = {.name = what->name, .module = what->module, .address = what->address};

	*rc = 0;
	/* Names are kept once: the same one is the same pointer. */
	if (f->options.by == FUNCTIONS_BY_FUNCTION && f->options.several) {
		row.address = 0;
		row.name = keep(f, row.name, rc);
		row.module = keep(f, row.module, rc);
		if (*rc)
			return ROW_OUTSIDE;
		return keyed_row(f, &f->modules, (uintptr_t)row.name, (uintptr_t)row.module, &row, rc);
	}
	if (f->options.by == FUNCTIONS_BY_FUNCTION)
		return functions_add_row(f, &row, rc);
	row = (struct functions_row){.name = keep(f, *what->module ? what->module : "[unknown]", rc), .module = ""};
	if (*rc)
		return ROW_OUTSIDE;
	return keyed_row(f, &f->modules, (uintptr_t)row.name, 0, &row, rc);
}

uint32_t functions_task_row(struct report_functions *f, const struct replay_stack *stack, int *rc)
{
	struct functions_row row = {.module = "", .pid = stack->pid, .special = !stack->tasks};

	*rc = 0;
	row.name = keep(f, stack->tasks ? stack->task : "[unknown]", rc);
	if (*rc)
		return ROW_OUTSIDE;
	return keyed_row(f, &f->tasks, stack->pid, (uintptr_t)row.name, &row, rc);
}

uint32_t functions_process_row(struct report_functions *f, const struct replay_stack *stack, int *rc)
{
	struct functions_row row = {.module = "", .pid = stack->tgid, .special = !stack->tasks};
	uint32_t number;

	*rc = 0;
	row.name = keep(f, stack->tasks ? stack->task : "[unknown]", rc);
	if (*rc)
		return ROW_OUTSIDE;
	number = keyed_row(f, &f->tasks, stack->tgid, stack->tasks != 0, &row, rc);
	/* Its name is the latest one of its first thread. */
	if (!*rc && stack->pid == stack->tgid)
		f->rows[number].name = row.name;
	return number;
}

uint32_t functions_cpu_row(struct report_functions *f, uint32_t cpu, int *rc)
{
	const struct functions_row row = {.name = "CPU", .module = "", .pid = cpu};

	return keyed_row(f, &f->tasks, cpu, 0, &row, rc);
}

/* --- Callees -------------------------------------------------------------------------------------------------------
 */

static int by_caller(const void *a, const void *b)
{
	const struct edge *one = *(struct edge *const *)a, *two = *(struct edge *const *)b;

	if (one->from != two->from)
		return one->from < two->from ? -1 : 1;
	if (one->time != two->time)
		return one->time > two->time ? -1 : 1;
	return one->count != two->count ? (one->count > two->count ? -1 : 1)
	                                : (one->to > two->to) - (one->to < two->to);
}

static int give_callees(struct report_functions *f, struct edge *const *edges, size_t n)
{
	struct functions_row *row = &f->rows[edges[0]->from];

	free(row->callees);
	row->callees = reallocarray(NULL, n, sizeof(*row->callees));
	if (!row->callees)
		return -ENOMEM;
	row->n_callees = n;
	for (size_t i = 0; i < n; i++)
		row->callees[i] =
			(struct functions_callee){f->rows[edges[i]->to].name, edges[i]->time, edges[i]->count};
	return 0;
}

static int give_all_callees(struct report_functions *f)
{
	int rc = 0;

	if (f->n_edges)
		qsort(f->edges, f->n_edges, sizeof(*f->edges), by_caller);
	for (size_t i = 0, end; i < f->n_edges && !rc; i = end) {
		for (end = i; end < f->n_edges && f->edges[end]->from == f->edges[i]->from; end++)
			;
		rc = give_callees(f, f->edges + i, end - i);
	}
	return rc;
}

/* --- Order ---------------------------------------------------------------------------------------------------------
 */

/* Equal ones by name, so that the order is always the same. */
static int by_name(const void *a, const void *b)
{
	const struct functions_row *one = *(const struct functions_row *const *)a;
	const struct functions_row *two = *(const struct functions_row *const *)b;
	int order = strcmp(one->name, two->name);

	if (order)
		return order;
	if (one->pid != two->pid)
		return one->pid < two->pid ? -1 : 1;
	return one->address < two->address ? -1 : one->address > two->address;
}

#define BY(name, value)                                                                    \
	static int by_##name(const void *a, const void *b)                                 \
	{                                                                                  \
		const struct functions_row *one = *(const struct functions_row *const *)a; \
		const struct functions_row *two = *(const struct functions_row *const *)b; \
		uint64_t x = value(one), y = value(two);                                   \
                                                                                           \
		return x != y ? (x > y ? -1 : 1) : by_name(a, b);                          \
	}

#define TIME_OF(row) (row)->time
#define SELF_OF(row) (row)->self
#define COUNT_OF(row) (row)->count
#define AVERAGE_OF(row) ((row)->count ? (row)->time / (row)->count : 0)
#define INNER_OF(row) (row)->inner
#define MIN_OF(row) (row)->each.min
#define MAX_OF(row) (row)->each.max
#define DELAY_OF(row) (row)->delay
#define ELAPSED_OF(row) (row)->elapsed
#define WAITED_OF(row) (row)->waited
#define P99_OF(row) call_stats_permille(&(row)->each, 990)
#define GROWTH_OF(row) ((row)->growth.trend ? (row)->time + 1 : 0)

BY(time, TIME_OF)
BY(self, SELF_OF)
BY(count, COUNT_OF)
BY(average, AVERAGE_OF)
BY(inner, INNER_OF)
BY(min, MIN_OF)
BY(max, MAX_OF)
BY(p99, P99_OF)
BY(delay, DELAY_OF)
BY(elapsed, ELAPSED_OF)
BY(waited, WAITED_OF)
BY(growth, GROWTH_OF)

/* In the order of enum functions_sort. */
static int (*const orders[])(const void *, const void *) = {
	NULL,   by_time, by_self, by_count, by_average, by_inner,  by_min,
	by_max, by_p99,  by_name, by_delay, by_elapsed, by_waited, by_growth,
};

int functions_rows(struct report_functions *f, enum functions_sort sort, const struct functions_row *const **rows,
                   size_t *n)
{
	int rc = give_all_callees(f);

	if (sort == FUNCTIONS_SORT_BEST)
		sort = functions_has_delays(f) ? FUNCTIONS_SORT_DELAY : FUNCTIONS_SORT_TIME;

	if (rc)
		return rc;
	free(f->sorted);
	f->sorted = reallocarray(NULL, f->n, sizeof(struct functions_row *));
	if (!f->sorted)
		return -ENOMEM;
	*n = 0;
	for (size_t i = 0; i < f->n; i++)
		if (f->rows[i].count || f->rows[i].self || f->rows[i].time)
			f->sorted[(*n)++] = &f->rows[i];
	qsort(f->sorted, *n, sizeof(*f->sorted), orders[sort]);
	*rows = f->sorted;
	return 0;
}
