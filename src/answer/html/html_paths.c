/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call paths that are worth showing, from the root down and in the order in which they were taken first; and what
 * each function took, which is known of all paths.
 */
#include <exectrace/answer/html/html_page.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a function took; a call within a call of its own is in the unattributed one's total. */
struct row {
	struct calltree_weight sides[CALLTREE_SIDES];
	uint32_t name; /* number in the page; 0: not in it */
};

struct chosen {
	struct spool *out;
	const struct calltree *paths;
	const struct calltree_node *nodes; /* by path, of which there are */
	size_t n_nodes;
	const struct calltree_function *functions;
	size_t n_functions;
	unsigned sides;
	bool inclusive;  /* functions have the calls that were made in them, not those of themselves */
	uint64_t *calls; /* by path and side: with the paths that go on from it */
	uint32_t *order; /* paths from the root down: those to be shown */
	uint32_t *open;  /* by function: calls around the path at hand */
	size_t n;
	struct row *rows; /* by function */
	uint32_t n_rows;  /* that are in the page */
	double least;     /* share of a path to be shown */
	double row_least; /* of a function */
};

static double share_of(const struct chosen *c, const struct calltree_weight weights[CALLTREE_SIDES])
{
	const struct calltree_weight *root = c->nodes[CALLTREE_ROOT].sides;
	double most = 0;

	for (unsigned side = 0; side < c->sides; side++) {
		double share = root[side].total ? (double)weights[side].total / (double)root[side].total : 0;

		most = share > most ? share : most;
	}
	return most;
}

/* --- What is shown -------------------------------------------------------------------------------------------------
 */

static size_t count_paths(const struct chosen *c, double least)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_nodes; i++)
		n += share_of(c, c->nodes[i].sides) >= least;
	return n;
}

static size_t count_rows(const struct chosen *c, double least)
{
	size_t n = 0;

	for (size_t i = 1; i < c->n_functions; i++)
		n += share_of(c, c->rows[i].sides) >= least;
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

static void add_calls(struct chosen *c)
{
	for (size_t i = c->n_nodes; i-- > 1;)
		for (unsigned side = 0; side < c->sides; side++) {
			c->calls[i * c->sides + side] += c->nodes[i].sides[side].count;
			c->calls[c->nodes[i].parent * c->sides + side] += c->calls[i * c->sides + side];
		}
}

static void go_in(struct chosen *c, uint32_t path)
{
	const struct calltree_node *at = &c->nodes[path];
	bool within = c->open[at->function]++;

	for (unsigned side = 0; side < c->sides; side++) {
		struct calltree_weight *row = &c->rows[at->function].sides[side];
		uint64_t calls = c->inclusive ? c->calls[(size_t)path * c->sides + side] : at->sides[side].count;

		row->self += at->sides[side].self;
		row->count += c->inclusive && within ? 0 : calls;
		row->total += within ? 0 : at->sides[side].total;
	}
	if (share_of(c, at->sides) >= c->least || path == CALLTREE_ROOT)
		c->order[c->n++] = path;
}

static void walk(struct chosen *c)
{
	uint32_t path = CALLTREE_ROOT;

	do
		go_in(c, path);
	while ((path = calltree_next(c->paths, path, c->open)) != 0);
}

/* --- Writing -------------------------------------------------------------------------------------------------------
 */

/* Adds `"key":[`. */
static void open_array(struct buf *out, const char *key)
{
	html_key(out, key);
	buf_putc(out, '[');
}

static void put_number(struct chosen *c, uint64_t number)
{
	html_item(&c->out->text);
	spool_drain(c->out);
	buf_printf(&c->out->text, "%ju", (uintmax_t)number);
}

typedef uint64_t get_fn(const struct chosen *c, size_t i, unsigned side);

static uint64_t path_depth(const struct chosen *c, size_t i, unsigned side)
{
	(void)side;
	return calltree_depth(c->paths, c->order[i]);
}

static uint64_t path_function(const struct chosen *c, size_t i, unsigned side)
{
	(void)side;
	return c->rows[c->nodes[c->order[i]].function].name;
}

static uint64_t path_self(const struct chosen *c, size_t i, unsigned side)
{
	return c->nodes[c->order[i]].sides[side].self;
}

static uint64_t path_total(const struct chosen *c, size_t i, unsigned side)
{
	return c->nodes[c->order[i]].sides[side].total;
}

static uint64_t path_count(const struct chosen *c, size_t i, unsigned side)
{
	return c->nodes[c->order[i]].sides[side].count;
}

static uint64_t path_calls(const struct chosen *c, size_t i, unsigned side)
{
	return c->calls[c->order[i] * c->sides + side];
}

static uint64_t row_self(const struct chosen *c, size_t i, unsigned side)
{
	return c->rows[i].sides[side].self;
}

static uint64_t row_total(const struct chosen *c, size_t i, unsigned side)
{
	return c->rows[i].sides[side].total;
}

static uint64_t row_count(const struct chosen *c, size_t i, unsigned side)
{
	return c->rows[i].sides[side].count;
}

/* An array for each side of what get tells of the paths. */
static void put_paths(struct chosen *c, const char *key, get_fn *get, unsigned sides)
{
	open_array(&c->out->text, key);
	for (unsigned side = 0; side < sides; side++) {
		html_item(&c->out->text);
		buf_putc(&c->out->text, '[');
		for (size_t i = 0; i < c->n; i++)
			put_number(c, get(c, i, side));
		buf_putc(&c->out->text, ']');
	}
	buf_putc(&c->out->text, ']');
}

/* Likewise of functions that are in the page. */
static void put_rows(struct chosen *c, const char *key, get_fn *get)
{
	open_array(&c->out->text, key);
	for (unsigned side = 0; side < c->sides; side++) {
		html_item(&c->out->text);
		buf_putc(&c->out->text, '[');
		for (size_t i = 0; i < c->n_functions; i++)
			if (c->rows[i].name || !i)
				put_number(c, get(c, i, side));
		buf_putc(&c->out->text, ']');
	}
	buf_putc(&c->out->text, ']');
}

/* Functions get the numbers that they have in the page. */
static void number_rows(struct chosen *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->rows[c->nodes[c->order[i]].function].name = 1;
	for (uint32_t i = 0; i < c->n_functions; i++) {
		struct row *row = &c->rows[i];

		row->name = i && (row->name || share_of(c, row->sides) >= c->row_least) ? ++c->n_rows : 0;
	}
}

static void put_names(struct chosen *c)
{
	struct buf *out = &c->out->text;

	open_array(out, "functions");

	for (uint32_t i = 0; i < c->n_functions; i++) {
		const struct calltree_function *f = &c->functions[i];

		if (i && !c->rows[i].name)
			continue;
		html_item(out);
		spool_drain(c->out);
		html_string(out, f->name);
		buf_putc(out, ',');
		html_string(out, f->module);
	}
	buf_putc(out, ']');
}

static void put_all(struct chosen *c)
{
	struct buf *out = &c->out->text;

	put_names(c);
	put_rows(c, "row_self", row_self);
	put_rows(c, "row_total", row_total);
	put_rows(c, "row_count", row_count);
	put_paths(c, "depth", path_depth, 1);
	put_paths(c, "function", path_function, 1);
	put_paths(c, "self", path_self, c->sides);
	put_paths(c, "total", path_total, c->sides);
	put_paths(c, "count", path_count, c->sides);
	put_paths(c, "calls", path_calls, c->sides);
	html_key(out, "folded");
	buf_printf(out, "{\"paths\":%zu,\"least\":%.12f,\"functions\":%zu,\"cut\":%ju}", c->n_nodes - c->n, c->least,
	           c->n_functions - 1 - c->n_rows, (uintmax_t)calltree_cut(c->paths));
}

int html_paths(struct spool *out, struct overview *s, unsigned sides)
{
	struct chosen c = {.out = out, .paths = overview_paths(s), .sides = sides, .inclusive = !overview_is_guest(s)};
	int rc = -ENOMEM;

	c.nodes = calltree_nodes(c.paths, &c.n_nodes);
	c.functions = calltree_functions(c.paths, &c.n_functions);
	c.calls = calloc(c.n_nodes * sides, sizeof(*c.calls));
	c.order = calloc(c.n_nodes, sizeof(*c.order));
	c.rows = calloc(c.n_functions, sizeof(*c.rows));
	c.open = calloc(c.n_functions, sizeof(*c.open));
	if (c.calls && c.order && c.rows && c.open) {
		c.least = find_least(&c, count_paths, HTML_PATHS);
		add_calls(&c);
		walk(&c);
		c.row_least = find_least(&c, count_rows, HTML_FUNCTIONS);
		number_rows(&c);
		put_all(&c);
		rc = out->text.err;
	}
	free(c.calls);
	free(c.order);
	free(c.rows);
	free(c.open);
	return rc;
}
