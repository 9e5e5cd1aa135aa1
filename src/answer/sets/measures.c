/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/sets/measures.h>

#include <errno.h>
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/pool.h>
#include <exectrace/base/grow.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_TEST 2 /* instead of p */

/* What one recording has of a name. */
struct value {
	uint32_t recording; /* by the order in which they were begun */
	double amount;
	uint64_t count;
};

struct name {
	struct measure public; /* first */
	struct value *values;  /* of the recordings that have it */
	size_t n, cap;
};

struct measures {
	struct pool texts;
	struct idmap by_texts; /* names by the numbers of both texts, and their kind */
	struct name **names;
	size_t n, cap;
	uint8_t *sides; /* of the recordings */
	size_t n_sides, cap_sides;
	size_t recordings[SIDES];
	struct measure *rows; /* that measures_rows gave */
};

struct measures *measures_new(void)
{
	return calloc(1, sizeof(struct measures));
}

void measures_free(struct measures *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++) {
		free(m->names[i]->values);
		free(m->names[i]);
	}
	free(m->names);
	free(m->sides);
	free(m->rows);
	idmap_release(&m->by_texts);
	pool_release(&m->texts);
	free(m);
}

/* --- Adding ------------------------------------------------------------------------------------------------------- */

int measures_begin(struct measures *m, enum measure_side side)
{
	int rc = grow_array((void **)&m->sides, m->n_sides, &m->cap_sides, sizeof(*m->sides));

	if (rc)
		return rc;
	m->sides[m->n_sides++] = (uint8_t)side;
	m->recordings[side]++;
	return 0;
}

size_t measures_recordings(const struct measures *m, enum measure_side side)
{
	return m->recordings[side];
}

static struct name *name_of(struct measures *m, enum measure_kind kind, const char *name, const char *more)
{
	uint32_t first, second;
	struct name *found;

	if (pool_text(&m->texts, name, strlen(name), &name, &first) ||
	    pool_text(&m->texts, more, strlen(more), &more, &second))
		return NULL;
	found = idmap_get(&m->by_texts, (uint64_t)first << 32 | second, kind);
	if (found)
		return found;
	found = calloc(1, sizeof(*found));
	if (!found || grow_array((void **)&m->names, m->n, &m->cap, sizeof(struct name *)) ||
	    idmap_put(&m->by_texts, (uint64_t)first << 32 | second, kind, found)) {
		free(found);
		return NULL;
	}
	found->public = (struct measure){.kind = kind, .name = name, .more = more};
	return m->names[m->n++] = found;
}

int measures_add(struct measures *m, enum measure_kind kind, const char *name, const char *more, double amount,
                 uint64_t count)
{
	struct name *to = name_of(m, kind, name, more);
	uint32_t recording = (uint32_t)m->n_sides - 1;

	if (!to)
		return -ENOMEM;
	if (!to->n || to->values[to->n - 1].recording != recording) {
		if (grow_array((void **)&to->values, to->n, &to->cap, sizeof(*to->values)))
			return -ENOMEM;
		to->values[to->n++] = (struct value){.recording = recording};
	}
	to->values[to->n - 1].amount += amount;
	to->values[to->n - 1].count += count;
	return 0;
}

/* --- Testing ------------------------------------------------------------------------------------------------------ */

/* The numbers of a name, those of each side together; room for each recording. */
struct numbers {
	double *sides[SIDES];
};

static void lay_out(const struct measures *m, const struct name *name, bool counts, const struct numbers *to)
{
	size_t at[SIDES] = {0};

	for (size_t i = 0; i < name->n; i++) {
		unsigned side = m->sides[name->values[i].recording];

		to->sides[side][at[side]++] = counts ? (double)name->values[i].count : name->values[i].amount;
	}
	for (unsigned side = 0; side < SIDES; side++)
		while (at[side] < m->recordings[side])
			to->sides[side][at[side]++] = 0;
}

static size_t count_in(const struct measures *m, const struct name *name, unsigned side)
{
	size_t in = 0;

	for (size_t i = 0; i < name->n; i++)
		in += m->sides[name->values[i].recording] == side;
	return in;
}

/*
 * Whether a name could be beyond noise at all: what k of all recordings have, with k no more than a side has, is at
 * best on that side alone. One that could not is no test that has to be corrected for (R. E. Tarone, 1990).
 */
static bool can_tell(const struct measures *m, const struct name *name)
{
	size_t all = m->n_sides, larger = m->recordings[SIDE_A];
	double ways = 1;

	if (m->recordings[SIDE_B] > larger)
		larger = m->recordings[SIDE_B];
	if (two_samples_least(m->recordings[SIDE_A], m->recordings[SIDE_B]) > MEASURES_CHANCE)
		return false;
	if (name->n > m->recordings[SIDE_A] || name->n > m->recordings[SIDE_B])
		return true;
	/* For each of these: on the smaller side alone, which is the less likely way. */
	for (size_t i = 0; i < name->n; i++)
		ways *= (double)(all - larger - i) / (double)(all - i);
	return ways <= MEASURES_CHANCE;
}

/* Whether all recordings have the same: whichever side they were on, it would be no difference, and no test either. */
static bool is_constant(const struct measures *m, const struct numbers *numbers)
{
	const double *all = numbers->sides[SIDE_A]; /* those of B follow */
	size_t i = 1;

	while (i < m->n_sides && all[i] == all[0])
		i++;
	return i >= m->n_sides;
}

/* Describes a name and tests its numbers. */
static int look_at(const struct measures *m, struct name *name, const struct numbers *room, double *p)
{
	bool timed = name->public.kind >= MEASURE_FUNCTION, run = name->public.kind == MEASURE_RUN;
	bool telling = can_tell(m, name);
	int rc = 0;

	p[0] = p[1] = NO_TEST;
	for (unsigned counts = 0; counts < 2 && !rc; counts++) {
		lay_out(m, name, counts, room);
		if (telling && (timed || run != (counts == 1)) && !is_constant(m, room))
			rc = two_samples_p(room->sides[SIDE_A], m->recordings[SIDE_A], room->sides[SIDE_B],
			                   m->recordings[SIDE_B], &p[counts]);
		for (unsigned side = 0; side < SIDES; side++) {
			struct measured *to = &name->public.sides[side];
			struct sample_spread spread = sample_describe(room->sides[side], m->recordings[side]);

			*(counts ? &to->count : &to->amount) = spread;
			to->in = count_in(m, name, side);
		}
	}
	return rc;
}

/* --- Rows --------------------------------------------------------------------------------------------------------- */

/* Whether the sides differ in recordings that have it, not in what these have of it. */
static double apart(const struct measure *row)
{
	return fabs(row->share[SIDE_A] - row->share[SIDE_B]);
}

static double distance(const struct measure *row)
{
	bool amounts = row->kind == MEASURE_RUN || row->kind >= MEASURE_FUNCTION;
	const struct measured *a = &row->sides[SIDE_A], *b = &row->sides[SIDE_B];

	return amounts ? fabs(a->amount.median - b->amount.median) : fabs(a->count.median - b->count.median);
}

/*
 * How little a failure means. Looking for a file where it is not is what programs do all the time: 1, or 2 where they
 * only ask for it, as a shell does in each directory of PATH.
 */
static int is_a_look(const struct measure *row)
{
	static const char *const asking[] = {"stat", "access", "readlink"};

	if (row->kind != MEASURE_ERROR || !strstr(row->name, "ENOENT"))
		return 0;
	for (size_t i = 0; i < sizeof(asking) / sizeof(*asking); i++)
		if (strstr(row->name, asking[i]))
			return 2;
	return 1;
}

/* Of what is there or is not. */
static int by_presence(const struct measure *a, const struct measure *b)
{
	double x = apart(a), y = apart(b);

	if (a->kind == MEASURE_RUN || a->kind >= MEASURE_FUNCTION)
		return 0;
	if (x != y)
		return x > y ? -1 : 1;
	return is_a_look(a) - is_a_look(b);
}

static int important_first(const void *one, const void *two)
{
	const struct measure *a = one, *b = two;
	double x = distance(a), y = distance(b);
	int order;

	if ((a->beyond || a->only) != (b->beyond || b->only))
		return a->beyond || a->only ? -1 : 1;
	order = by_presence(a, b);
	if (order)
		return order;
	if (x != y)
		return x > y ? -1 : 1;
	order = strcmp(a->name, b->name);
	return order ? order : strcmp(a->more, b->more);
}

/* What all recordings have of a name. */
static struct value sum_of(const struct name *name)
{
	struct value sum = {0};

	for (size_t i = 0; i < name->n; i++) {
		sum.amount += name->values[i].amount;
		sum.count += name->values[i].count;
	}
	return sum;
}

/* Of the kind, and enough of it. The names are put into `to`. */
static size_t choose(const struct measures *m, enum measure_kind kind, double part, struct name **to)
{
	struct value all = {0};
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct value own = sum_of(m->names[i]);

		if (m->names[i]->public.kind != kind)
			continue;
		all.amount += own.amount;
		all.count += own.count;
	}
	for (size_t i = 0; i < m->n; i++) {
		struct value own = sum_of(m->names[i]);

		if (m->names[i]->public.kind == kind &&
		    (own.amount >= part * all.amount || (double)own.count >= part * (double)all.count))
			to[n++] = m->names[i];
	}
	return n;
}

/* Makes q of p, of n names: of one of the two that each has. */
static int correct(double *p, size_t n)
{
	double *tests = calloc(n + 1, sizeof(*tests));
	size_t at = 0, k = 0;
	int rc;

	if (!tests)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (p[2 * i] != NO_TEST)
			tests[at++] = p[2 * i];
	rc = two_samples_correct(tests, at);
	for (size_t i = 0; i < n; i++)
		p[2 * i] = p[2 * i] != NO_TEST ? tests[k++] : 1;
	free(tests);
	return rc;
}

static void settle(const struct measures *m, struct measure *row, const double *q)
{
	size_t a = row->sides[SIDE_A].in, b = row->sides[SIDE_B].in;

	row->share[SIDE_A] = (double)a / (double)(m->recordings[SIDE_A] + !m->recordings[SIDE_A]);
	row->share[SIDE_B] = (double)b / (double)(m->recordings[SIDE_B] + !m->recordings[SIDE_B]);
	row->amount_q = q[0];
	row->count_q = q[1];
	row->beyond = q[0] <= MEASURES_CHANCE || q[1] <= MEASURES_CHANCE;
	row->only = row->kind != MEASURE_RUN && row->kind < MEASURE_FUNCTION &&
	            ((a == m->recordings[SIDE_A] && !b) || (b == m->recordings[SIDE_B] && !a));
}

int measures_rows(struct measures *m, enum measure_kind kind, double part, const struct measure **rows, size_t *n)
{
	struct name **chosen = calloc(m->n + 1, sizeof(struct name *));
	double *p = calloc(2 * m->n + 1, sizeof(*p)), *room = calloc(m->n_sides + 1, sizeof(*room));
	const struct numbers numbers = {{room, room ? room + m->recordings[SIDE_A] : NULL}};
	int rc = chosen && p && room ? 0 : -ENOMEM;

	*n = rc ? 0 : choose(m, kind, part, chosen);
	for (size_t i = 0; i < *n && !rc; i++)
		rc = look_at(m, chosen[i], &numbers, &p[2 * i]);
	for (unsigned counts = 0; counts < 2 && !rc; counts++)
		rc = correct(p + counts, *n);
	free(m->rows);
	m->rows = rc ? NULL : calloc(*n + 1, sizeof(*m->rows));
	if (!rc && !m->rows)
		rc = -ENOMEM;
	for (size_t i = 0; i < *n && !rc; i++) {
		settle(m, &chosen[i]->public, &p[2 * i]);
		m->rows[i] = chosen[i]->public;
	}
	if (!rc && *n)
		qsort(m->rows, *n, sizeof(*m->rows), important_first);
	*rows = m->rows;
	free(chosen);
	free(p);
	free(room);
	return rc;
}
