/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What shapes and costs tell: the odd ones among many calls, and functions whose calls cost more and more. */
#include "shapes.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <string.h>

#define CALLS_MIN 8u     /* of fewer calls none is odd */
#define ODD_MAX 3u       /* percent of the calls that may be odd, or one */
#define LIKELY_DIFFER 2u /* callees in which a likely one differs at most */
#define LIKELY_GROUPS 2u /* of a function with more sorts of odd calls none is likely */
#define LIKELY_SHAPES 8u /* nor of one with more shapes */
#define GROUPS_MAX 8u    /* sorts of odd calls of a function */
#define DENSE_MIN 3u     /* with more likely ones in one file none is, ... */
#define DENSE 20u        /* ... but in a module of the kernel when they are one of so many functions, or less */

/* --- Odd ones of a function --------------------------------------------------------------------------------------- */

/* A function that calls of some shapes call. Sets of shapes have a bit for each. */
struct callee {
	uint32_t function;
	uint32_t with; /* the shapes that call it, ... */
	uint32_t more; /* ... and those that do more than once */
};

struct callees {
	struct callee list[SHAPES_MAX * SHAPES_CALLEES];
	size_t n;
};

/* Odd calls of one sort. */
struct group {
	uint32_t shapes;
	struct shapes_odd odd;
};

struct groups {
	struct group list[GROUPS_MAX];
	size_t n;
	bool more; /* there are more of them */
};

static void collect(const struct shaped *f, struct callees *all)
{
	all->n = 0;
	for (uint32_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->shapes[i].n; k++) {
			const struct shapes_callee *c = &f->shapes[i].callees[k];
			size_t at = 0;

			while (at < all->n && all->list[at].function != c->function)
				at++;
			if (at == all->n)
				all->list[all->n++] = (struct callee){.function = c->function};
			all->list[at].with |= 1u << i;
			all->list[at].more |= c->more ? 1u << i : 0;
		}
}

static uint64_t calls_in(const struct shaped *f, uint32_t shapes)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < f->n; i++)
		n += shapes & 1u << i ? f->shapes[i].count : 0;
	return n;
}

/* Whether so many calls are few, but some. */
static bool is_few(const struct shaped *f, uint64_t n)
{
	return n == 1 || (n && n <= f->calls / 100 * ODD_MAX + f->calls % 100 * ODD_MAX / 100);
}

/* In which shapes what they do with a callee is odd, and how. 0: in none. */
static uint32_t odd_shapes(const struct shaped *f, const struct callee *c, enum shapes_how *how)
{
	uint32_t all = f->n == 32 ? UINT32_MAX : (1u << f->n) - 1;
	const uint32_t sets[] = {
		[SHAPES_LACKS] = all & ~c->with,
		[SHAPES_ALSO] = c->with,
		[SHAPES_MORE] = c->with == all ? c->more : 0,
		[SHAPES_ONCE] = c->with == all ? all & ~c->more : 0,
	};

	for (*how = SHAPES_LACKS; *how <= SHAPES_ONCE; (*how)++)
		if (is_few(f, calls_in(f, sets[*how])))
			return sets[*how];
	return 0;
}

static void find_calls(const struct shaped *f, uint32_t shapes, struct shapes_odd *odd)
{
	bool any = false;

	odd->odd = calls_in(f, shapes);
	for (uint32_t i = 0; i < f->n; i++) {
		if (!(shapes & 1u << i))
			continue;
		if (!any || f->shapes[i].first.number < odd->first.number)
			odd->first = f->shapes[i].first;
		if (!any || f->shapes[i].last.number > odd->last.number)
			odd->last = f->shapes[i].last;
		any = true;
	}
}

static void group(const struct shaped *f, const struct callee *c, struct groups *groups)
{
	struct shapes_difference difference = {.function = c->function};
	uint32_t shapes = odd_shapes(f, c, &difference.how);
	size_t at = 0;

	while (at < groups->n && groups->list[at].shapes != shapes)
		at++;
	if (!shapes || at == GROUPS_MAX) {
		groups->more |= shapes != 0;
		return;
	}
	if (at == groups->n) {
		groups->list[groups->n++] = (struct group){.shapes = shapes};
		find_calls(f, shapes, &groups->list[at].odd);
	}
	if (groups->list[at].odd.n < SHAPES_DIFFERENCES)
		groups->list[at].odd.differences[groups->list[at].odd.n] = difference;
	groups->list[at].odd.n++;
}

/* Calls that return something else than all others. They may have called something else, too. */
static void group_results(const struct shaped *f, const struct replay_function *function, struct groups *groups)
{
	const struct shapes_returned *r = f->results, *others = r + 1;
	struct shapes_odd *odd;
	size_t at = 0;

	if (f->n_results != 2 || r->count + others->count != f->calls)
		return;
	if (r->count > others->count)
		others = r++;
	while (at < groups->n &&
	       (groups->list[at].odd.odd != r->count || groups->list[at].odd.first.number != r->first.number ||
	        groups->list[at].odd.last.number != r->last.number))
		at++;
	if (!is_few(f, r->count) || at == GROUPS_MAX)
		return;
	odd = &groups->list[at].odd;
	if (at == groups->n) {
		groups->list[groups->n++] = (struct group){.shapes = 0};
		*odd = (struct shapes_odd){.odd = r->count, .first = r->first, .last = r->last};
	}
	odd->gives = true;
	odd->result = r->value;
	odd->others = others->value;
	odd->fails = shapes_is_failure(function, r->value) && !shapes_is_failure(function, others->value);
}

/* --- How telling they are ----------------------------------------------------------------------------------------- */

/* Of module and program there is less, and it is tried less; a call that begins or ends a series often differs. */
static void judge(const struct shaped *f, size_t groups, struct shapes_odd *odd)
{
	static const double of_code[] = {[SHAPES_KERNEL] = 0, [SHAPES_PROGRAM] = 60, [SHAPES_MODULE] = 100};
	bool first = odd->first.number == 0, last = odd->last.number + 1 == f->calls, times = odd->n != 0;

	for (size_t i = 0; i < odd->n && i < SHAPES_DIFFERENCES; i++)
		times &= odd->differences[i].how >= SHAPES_MORE;
	odd->likely = !first && !last && odd->n <= LIKELY_DIFFER && groups <= LIKELY_GROUPS && f->n <= LIKELY_SHAPES &&
	              (odd->n || odd->fails);
	odd->score = of_code[odd->code];
	odd->score += odd->n <= 1 ? 20 : odd->n == 2 ? 10 : odd->n > 3 ? -20 : 0;
	odd->score += odd->odd == 1 ? 10 : 0;
	odd->score += f->tasks ? 5 : 0;
	odd->score -= first ? 60 : last ? 30 : 0;
	odd->score -= times ? 20 : 0;
	odd->score -= (double)f->n + 5 * (double)groups;
	for (uint64_t ratio = f->calls / odd->odd; ratio > 1 && ratio < 2048; ratio /= 2)
		odd->score++;
}

struct odd_list {
	struct shapes_odd *list;
	size_t n, cap;
};

static int find_in(const struct shapes *s, uint32_t number, struct callees *callees, struct odd_list *found)
{
	const struct shaped *f = &s->functions[number];
	struct groups groups = {.n = 0};
	int rc = 0;

	collect(f, callees);
	for (size_t i = 0; i < callees->n; i++)
		group(f, &callees->list[i], &groups);
	group_results(f, replay_function(s->replay, number), &groups);
	for (size_t i = 0; i < groups.n && !rc; i++) {
		struct shapes_odd *odd = &groups.list[i].odd;

		odd->function = number;
		odd->code = shapes_code_of(replay_function(s->replay, number));
		odd->calls = f->calls;
		odd->tasks = f->tasks;
		judge(f, groups.n + groups.more, odd);
		rc = grow_array((void **)&found->list, found->n, &found->cap, sizeof(*found->list));
		if (!rc)
			found->list[found->n++] = *odd;
	}
	return rc;
}

static int by_score(const void *a, const void *b)
{
	const struct shapes_odd *one = a, *two = b;

	if (one->likely != two->likely)
		return one->likely ? -1 : 1;
	if (one->score != two->score)
		return one->score > two->score ? -1 : 1;
	return one->function < two->function ? -1 : one->function > two->function;
}

static bool is_within(const struct shapes_call *inner, const struct shapes_call *outer)
{
	return inner->pid == outer->pid && inner->at >= outer->at && inner->left <= outer->left &&
	       (inner->at > outer->at || inner->left < outer->left);
}

/* A call that differs since one in it does. */
static void find_outer(struct odd_list *found)
{
	for (size_t i = 0; i < found->n; i++)
		for (size_t k = 0; k < found->n && found->list[i].likely && !found->list[i].outer; k++)
			found->list[i].outer = found->list[k].likely && found->list[k].code == found->list[i].code &&
			                       is_within(&found->list[k].first, &found->list[i].first);
}

/* --- Of all functions --------------------------------------------------------------------------------------------- */

/* A file of code. */
struct file {
	const char *name;
	size_t functions; /* with so many calls that one could be odd */
	size_t likely;
};

struct files {
	struct file *list;
	size_t n, cap;
};

/* NULL: no memory. */
static struct file *file_of(struct files *files, const struct replay_function *f)
{
	for (size_t i = 0; i < files->n; i++)
		if (files->list[i].name == f->module || strcmp(files->list[i].name, f->module) == 0)
			return &files->list[i];
	if (grow_array((void **)&files->list, files->n, &files->cap, sizeof(*files->list)))
		return NULL;
	files->list[files->n] = (struct file){.name = f->module};
	return &files->list[files->n++];
}

/* Where many functions have odd ones, as those of an interpreter or of the kernel itself do, none tells anything. */
static int find_dense(const struct shapes *s, struct odd_list *found)
{
	struct files files = {0};
	struct file *file = NULL;
	int rc = 0;

	for (uint32_t i = 0; i < s->n_functions && !rc; i++) {
		if (s->functions[i].calls < CALLS_MIN)
			continue;
		file = file_of(&files, replay_function(s->replay, i));
		rc = file ? 0 : -ENOMEM;
		if (file)
			file->functions++;
	}
	for (size_t i = 0; i < found->n && !rc; i++) {
		file = file_of(&files, replay_function(s->replay, found->list[i].function));
		rc = file ? 0 : -ENOMEM;
		if (file)
			file->likely += found->list[i].likely;
	}
	for (size_t i = 0; i < found->n && !rc; i++) {
		file = file_of(&files, replay_function(s->replay, found->list[i].function));
		if (!file)
			continue;
		found->list[i].likely &= file->likely <= DENSE_MIN || (found->list[i].code == SHAPES_MODULE &&
		                                                       file->likely * DENSE <= file->functions);
	}
	free(files.list);
	return rc;
}

int shapes_find_odd(const struct shapes *s, struct shapes_odd **odd, size_t *n)
{
	struct callees *callees = malloc(sizeof(*callees));
	struct odd_list found = {0};
	int rc = callees ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < s->n_functions && !rc; i++) {
		const struct shaped *f = &s->functions[i];

		if (!f->varied && (f->n > 1 || f->n_results > 1) && f->calls >= CALLS_MIN &&
		    !shapes_is_noise(replay_function(s->replay, i)))
			rc = find_in(s, i, callees, &found);
	}
	free(callees);
	rc = rc ? rc : find_dense(s, &found);
	if (rc) {
		free(found.list);
		return rc;
	}
	find_outer(&found);
	if (found.n)
		qsort(found.list, found.n, sizeof(*found.list), by_score);
	*odd = found.list;
	*n = found.n;
	return 0;
}

/* --- Growth ------------------------------------------------------------------------------------------------------- */

static int by_total(const void *a, const void *b)
{
	const struct shapes_grows *one = a, *two = b;

	if (one->fit.total != two->fit.total)
		return one->fit.total > two->fit.total ? -1 : 1;
	return one->function < two->function ? -1 : one->function > two->function;
}

/* Of a function that calls another one, one call of which takes most of its time, that one is to be named. */
static void find_inside(struct shapes_grows *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n && list[i].fit.in_one && !list[i].inside; k++)
			list[i].inside = list[k].function == list[i].fit.longest && k != i;
}

int shapes_find_growth(const struct shapes *s, uint64_t least, struct shapes_grows **grows, size_t *n)
{
	struct shapes_grows *list = NULL;
	size_t cap = 0;
	int rc = 0;

	*n = 0;
	for (uint32_t i = 0; i < s->n_functions && !rc; i++) {
		const struct shaped *f = &s->functions[i];
		struct shapes_grows one = {.function = i, .last = f->last, .cpu = f->cpu};

		if (f->growth.total < least || !growth_fit(&f->growth, &one.fit))
			continue;
		one.code = shapes_code_of(replay_function(s->replay, i));
		rc = grow_array((void **)&list, *n, &cap, sizeof(*list));
		if (!rc)
			list[(*n)++] = one;
	}
	if (rc) {
		free(list);
		return rc;
	}
	find_inside(list, *n);
	if (*n)
		qsort(list, *n, sizeof(*list), by_total);
	*grows = list;
	return 0;
}
