/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/replay/lanes.h>

#include <exectrace/answer/recording/pool.h>
#include <exectrace/base/grow.h>
#include <string.h>

struct lanes {
	uint64_t start, end;
	unsigned shift; /* a cell is 2^shift long */
	struct lanes_lane *lanes;
	size_t n, cap;
	struct pool texts;
};

/* Cells become half as many: two are one from now on. */
static void halve(struct lanes_lane *lane)
{
	uint32_t first = lane->first / 2, n = lane->n ? (lane->first + lane->n - 1) / 2 - first + 1 : 0;

	for (uint32_t i = 0; i < lane->n; i++) {
		uint64_t *from = lane->cells + (size_t)i * ACTIVITY_KINDS;
		uint64_t *to = lane->cells + (size_t)((lane->first + i) / 2 - first) * ACTIVITY_KINDS;

		if (to == from)
			continue;
		for (unsigned k = 0; k < ACTIVITY_KINDS; k++)
			to[k] = (lane->first + i) % 2 ? to[k] + from[k] : from[k];
	}
	lane->first = first;
	lane->n = n;
}

/* Makes cells of the lane reach from `cell` on, or to it. 0 or -ENOMEM. */
static int reach(struct lanes_lane *lane, uint32_t cell)
{
	uint32_t first = !lane->n || cell < lane->first ? cell : lane->first;
	uint32_t last = !lane->n || cell >= lane->first + lane->n ? cell : lane->first + lane->n - 1;
	size_t n = last - first + 1, size = ACTIVITY_KINDS * sizeof(*lane->cells);
	uint64_t *cells;

	if (n == lane->n)
		return 0;
	cells = reallocarray(lane->cells, n, size);
	if (!cells)
		return -ENOMEM;
	lane->cells = cells;
	if (lane->n && first < lane->first)
		memmove(cells + (lane->first - first) * ACTIVITY_KINDS, cells, lane->n * size);
	if (!lane->n || first < lane->first)
		memset(cells, 0, (lane->n ? lane->first - first : 1) * size);
	if (lane->n && last >= lane->first + lane->n)
		memset(cells + (lane->first - first + lane->n) * ACTIVITY_KINDS, 0,
		       (last - lane->first - lane->n + 1) * size);
	lane->first = first;
	lane->n = (uint32_t)n;
	return 0;
}

/* Cells get longer until `time` (since the start) has one. */
static void stretch(struct lanes *a, uint64_t time)
{
	while (time >> a->shift >= ACTIVITY_CELLS) {
		for (size_t i = 0; i < a->n; i++)
			halve(&a->lanes[i]);
		a->shift++;
	}
}

void lanes_span(struct lanes *a, uint32_t number, uint64_t from, uint64_t to)
{
	struct lanes_lane *lane = &a->lanes[number];

	lane->from = from < lane->from ? from : lane->from;
	lane->to = to > lane->to ? to : lane->to;
	a->end = to > a->end ? to : a->end;
}

int lanes_add(struct lanes *a, uint32_t number, unsigned kind, uint64_t from, uint64_t to)
{
	struct lanes_lane *lane = &a->lanes[number];

	if (from < a->start)
		from = a->start;
	if (to <= from)
		return 0;
	lanes_span(a, number, from, to);
	lane->sums[kind] += to - from;
	from -= a->start;
	to -= a->start;
	stretch(a, to - 1);
	while (from < to) {
		uint32_t cell = (uint32_t)(from >> a->shift);
		uint64_t left = lanes_width(a) - (from & (lanes_width(a) - 1));
		uint64_t ticks = left < to - from ? left : to - from;
		int rc = cell >= lane->first && cell - lane->first < lane->n ? 0 : reach(lane, cell);

		if (rc)
			return rc;
		lane->cells[(size_t)(cell - lane->first) * ACTIVITY_KINDS + kind] += ticks;
		from += ticks;
	}
	return 0;
}

int lanes_lane(struct lanes *a, unsigned group, uint32_t id, uint32_t sub, uint32_t *lane)
{
	int rc = 0;

	if (a->n < ACTIVITY_LANES) {
		rc = grow_array((void **)&a->lanes, a->n, &a->cap, sizeof(*a->lanes));
		if (!rc)
			a->lanes[a->n++] =
				(struct lanes_lane){.group = group, .id = id, .sub = sub, .from = UINT64_MAX};
	}
	*lane = (uint32_t)a->n - 1;
	return rc;
}

int lanes_name(struct lanes *a, uint32_t number, uint64_t since, const char *name)
{
	struct lanes_lane *lane = &a->lanes[number];
	struct lanes_name *names;
	const char *kept;
	int rc = pool_text(&a->texts, name, strlen(name), &kept, NULL);

	if (rc || (lane->n_names && lane->names[lane->n_names - 1].name == kept) || lane->n_names == ACTIVITY_NAMES)
		return rc;
	names = reallocarray(lane->names, lane->n_names + 1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	lane->names = names;
	names[lane->n_names++] = (struct lanes_name){since, kept};
	return 0;
}

struct lanes *lanes_new(uint64_t start)
{
	struct lanes *a = calloc(1, sizeof(*a));

	if (a)
		a->start = a->end = start;
	return a;
}

void lanes_free(struct lanes *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++) {
		free(a->lanes[i].names);
		free(a->lanes[i].cells);
	}
	free(a->lanes);
	pool_release(&a->texts);
	free(a);
}

uint64_t lanes_start(const struct lanes *a)
{
	return a->start;
}

uint64_t lanes_end(const struct lanes *a)
{
	return a->end;
}

uint64_t lanes_width(const struct lanes *a)
{
	return (uint64_t)1 << a->shift;
}

size_t lanes_count(const struct lanes *a)
{
	return a->n;
}

const struct lanes_lane *lanes_at(const struct lanes *a, uint32_t lane)
{
	return &a->lanes[lane];
}
