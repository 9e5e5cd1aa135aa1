/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call paths that are worth showing, from the root down and in the order in which they were taken first; and what
 * each function took, which is known of all paths.
 */
#include "html_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a function took; a call within a call of its own is in the outer one's total. */
struct row {
	uint64_t self[CALLPATHS_SIDES], total[CALLPATHS_SIDES], count[CALLPATHS_SIDES];
	uint32_t open; /* calls around the path at hand */
	uint32_t name; /* number in the page; 0: not in it */
};

struct chosen {
	struct exporter *e;
	const struct callpaths *paths;
	unsigned sides;
	bool inclusive;         /* functions have the calls that were made in them, not those of themselves */
	uint32_t *child, *next; /* by path: the first that goes on from it, the next one beside it; 0: none */
	uint64_t *calls;        /* by path and side: with the paths that go on from it */
	uint32_t *order;        /* paths from the root down: those to be shown */
	size_t n;
	struct row *rows; /* by function */
	uint32_t n_rows;  /* that are in the page */
	double least;     /* share of a path to be shown */
	double row_least; /* of a function */
};

static double share_of(const struct chosen *c, const uint64_t total[CALLPATHS_SIDES])
{
	const struct callpath *root = callpaths_at(c->paths, CALLPATHS_ROOT);
	double most = 0;

	for (unsigned side = 0; side < c->sides; side++) {
		double share = root->total[side] ? (double)total[side] / (double)root->total[side] : 0;

		most = share > most ? share : most;
	}
	return most;
}

/* --- What is shown -------------------------------------------------------------------------------------------------
 */

static size_t count_paths(const struct chosen *c, double least)
{
	size_t n = 0;

	for (uint32_t i = 0; i < callpaths_n(c->paths); i++)
		n += share_of(c, callpaths_at(c->paths, i)->total) >= least;
	return n;
}

static size_t count_rows(const struct chosen *c, double least)
{
	size_t n = 0;

	for (uint32_t i = 1; i < callpaths_functions(c->paths); i++)
		n += share_of(c, c->rows[i].total) >= least;
	return n;
}

/* The lowest share, nearly, that no more than `most` have. */
static double find_least(const struct chosen *c, size_t (*count)(const struct chosen *, double), size_t most)
{
	double low = 0, high = 1;

	if (count(c, low) <= most)
		return low;
	/* Shares are of all sizes: first the size, then the number. */
	while (high > 1e-15 && count(c, high / 2) <= most)
		high /= 2;
	low = high / 2;
	for (unsigned i = 0; i < 8; i++) {
		double middle = (low + high) / 2;

		if (count(c, middle) <= most)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* --- From the root down --------------------------------------------------------------------------------------------
 */

static void link_paths(struct chosen *c)
{
	for (size_t i = callpaths_n(c->paths); i-- > 1;) {
		uint32_t parent = callpaths_at(c->paths, (uint32_t)i)->parent;

		for (unsigned side = 0; side < c->sides; side++) {
			c->calls[i * c->sides + side] += callpaths_at(c->paths, (uint32_t)i)->count[side];
			c->calls[parent * c->sides + side] += c->calls[i * c->sides + side];
		}
		c->next[i] = c->child[parent];
		c->child[parent] = (uint32_t)i;
	}
}

static void go_in(struct chosen *c, uint32_t path)
{
	const struct callpath *at = callpaths_at(c->paths, path);
	struct row *row = &c->rows[at->function];

	for (unsigned side = 0; side < c->sides; side++) {
		row->self[side] += at->self[side];
		row->count[side] +=
			c->inclusive ? (row->open ? 0 : c->calls[(size_t)path * c->sides + side]) : at->count[side];
		row->total[side] += row->open ? 0 : at->total[side];
	}
	row->open++;
	if (share_of(c, at->total) >= c->least || path == CALLPATHS_ROOT)
		c->order[c->n++] = path;
}

/* Each path is gone into once, and left once. */
static void walk(struct chosen *c)
{
	uint32_t path = CALLPATHS_ROOT;

	go_in(c, path);
	for (;;) {
		if (c->child[path]) {
			path = c->child[path];
		} else {
			while (path && !c->next[path]) {
				c->rows[callpaths_at(c->paths, path)->function].open--;
				path = callpaths_at(c->paths, path)->parent;
			}
			if (!path)
				return;
			c->rows[callpaths_at(c->paths, path)->function].open--;
			path = c->next[path];
		}
		go_in(c, path);
	}
}

/* --- Writing -------------------------------------------------------------------------------------------------------
 */

/* Adds `"key":[`. */
static int open_array(struct buf *out, const char *key)
{
	int rc = html_key(out, key);

	return rc ? rc : buf_putc(out, '[');
}

static int put_number(struct chosen *c, uint64_t number)
{
	int rc = html_item(&c->e->out);

	rc = rc ? rc : exporter_drain(c->e);
	return rc ? rc : buf_printf(&c->e->out, "%ju", (uintmax_t)number);
}

typedef uint64_t get_fn(const struct chosen *c, size_t i, unsigned side);

static uint64_t path_depth(const struct chosen *c, size_t i, unsigned side)
{
	(void)side;
	return callpaths_at(c->paths, c->order[i])->depth;
}

static uint64_t path_function(const struct chosen *c, size_t i, unsigned side)
{
	(void)side;
	return c->rows[callpaths_at(c->paths, c->order[i])->function].name;
}

static uint64_t path_self(const struct chosen *c, size_t i, unsigned side)
{
	return callpaths_at(c->paths, c->order[i])->self[side];
}

static uint64_t path_total(const struct chosen *c, size_t i, unsigned side)
{
	return callpaths_at(c->paths, c->order[i])->total[side];
}

static uint64_t path_count(const struct chosen *c, size_t i, unsigned side)
{
	return callpaths_at(c->paths, c->order[i])->count[side];
}

static uint64_t path_calls(const struct chosen *c, size_t i, unsigned side)
{
	return c->calls[c->order[i] * c->sides + side];
}

static uint64_t row_self(const struct chosen *c, size_t i, unsigned side)
{
	return c->rows[i].self[side];
}

static uint64_t row_total(const struct chosen *c, size_t i, unsigned side)
{
	return c->rows[i].total[side];
}

static uint64_t row_count(const struct chosen *c, size_t i, unsigned side)
{
	return c->rows[i].count[side];
}

/* An array for each side of what get tells of the paths. */
static int put_paths(struct chosen *c, const char *key, get_fn *get, unsigned sides)
{
	int rc = open_array(&c->e->out, key);

	for (unsigned side = 0; side < sides && !rc; side++) {
		rc = html_item(&c->e->out);
		rc = rc ? rc : buf_putc(&c->e->out, '[');
		for (size_t i = 0; i < c->n && !rc; i++)
			rc = put_number(c, get(c, i, side));
		rc = rc ? rc : buf_putc(&c->e->out, ']');
	}
	return rc ? rc : buf_putc(&c->e->out, ']');
}

/* The same of functions that are in the page. */
static int put_rows(struct chosen *c, const char *key, get_fn *get)
{
	int rc = open_array(&c->e->out, key);

	for (unsigned side = 0; side < c->sides && !rc; side++) {
		rc = html_item(&c->e->out);
		rc = rc ? rc : buf_putc(&c->e->out, '[');
		for (size_t i = 0; i < callpaths_functions(c->paths) && !rc; i++)
			if (c->rows[i].name || !i)
				rc = put_number(c, get(c, i, side));
		rc = rc ? rc : buf_putc(&c->e->out, ']');
	}
	return rc ? rc : buf_putc(&c->e->out, ']');
}

/* Functions get the numbers that they have in the page. */
static void number_rows(struct chosen *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->rows[callpaths_at(c->paths, c->order[i])->function].name = 1;
	for (uint32_t i = 0; i < callpaths_functions(c->paths); i++) {
		struct row *row = &c->rows[i];

		row->name = i && (row->name || share_of(c, row->total) >= c->row_least) ? ++c->n_rows : 0;
	}
}

static int put_names(struct chosen *c)
{
	struct buf *out = &c->e->out;
	int rc = open_array(out, "functions");

	for (uint32_t i = 0; i < callpaths_functions(c->paths) && !rc; i++) {
		const struct callpath_function *f = callpaths_function_at(c->paths, i);

		if (i && !c->rows[i].name)
			continue;
		rc = html_item(out);
		rc = rc ? rc : exporter_drain(c->e);
		rc = rc ? rc : html_string(out, f->name);
		rc = rc ? rc : buf_putc(out, ',');
		rc = rc ? rc : html_string(out, f->module);
	}
	return rc ? rc : buf_putc(out, ']');
}

static int put_all(struct chosen *c)
{
	struct buf *out = &c->e->out;
	int rc = put_names(c);

	rc = rc ? rc : put_rows(c, "row_self", row_self);
	rc = rc ? rc : put_rows(c, "row_total", row_total);
	rc = rc ? rc : put_rows(c, "row_count", row_count);
	rc = rc ? rc : put_paths(c, "depth", path_depth, 1);
	rc = rc ? rc : put_paths(c, "function", path_function, 1);
	rc = rc ? rc : put_paths(c, "self", path_self, c->sides);
	rc = rc ? rc : put_paths(c, "total", path_total, c->sides);
	rc = rc ? rc : put_paths(c, "count", path_count, c->sides);
	rc = rc ? rc : put_paths(c, "calls", path_calls, c->sides);
	rc = rc ? rc : html_key(out, "folded");
	return rc ? rc
	          : buf_printf(out, "{\"paths\":%zu,\"least\":%.12f,\"functions\":%zu,\"cut\":%ju}",
	                       callpaths_n(c->paths) - c->n, c->least, callpaths_functions(c->paths) - 1 - c->n_rows,
	                       (uintmax_t)callpaths_cut(c->paths));
}

int html_paths(struct exporter *e, struct survey *s, unsigned sides)
{
	struct callpaths *paths = survey_paths(s);
	size_t n = callpaths_n(paths);
	struct chosen c = {.e = e, .paths = paths, .sides = sides, .inclusive = !survey_is_guest(s)};
	int rc = -ENOMEM;

	c.child = calloc(n, sizeof(*c.child));
	c.next = calloc(n, sizeof(*c.next));
	c.calls = calloc(n * sides, sizeof(*c.calls));
	c.order = calloc(n, sizeof(*c.order));
	c.rows = calloc(callpaths_functions(paths), sizeof(*c.rows));
	if (c.child && c.next && c.calls && c.order && c.rows) {
		c.least = find_least(&c, count_paths, HTML_PATHS);
		link_paths(&c);
		walk(&c);
		c.row_least = find_least(&c, count_rows, HTML_FUNCTIONS);
		number_rows(&c);
		rc = put_all(&c);
	}
	free(c.child);
	free(c.next);
	free(c.calls);
	free(c.order);
	free(c.rows);
	return rc;
}
