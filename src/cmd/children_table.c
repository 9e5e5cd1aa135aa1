/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "children_table.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 10000u /* levels of a graph */

struct children {
	const struct call_tree *made;
	enum profile_weight weight;
	struct profile_entry *entries; /* by number of the function */
	const struct profile_entry **sorted;
	size_t n;     /* functions */
	bool *wanted; /* by number of the function: for whom a graph is made; none between two of them */
};

static int put_head(const struct call_tree *made, struct buf *out)
{
	size_t n, functions;
	const struct calltree_node *nodes = calltree_nodes(made->tree, &n);
	const struct calltree_function *f = calltree_functions(made->tree, &functions);
	uint64_t calls = 0, system_calls = 0;
	int rc;

	for (size_t i = 1; i < n; i++) {
		calls += nodes[i].count;
		system_calls += f[nodes[i].function].kernel ? nodes[i].count : 0;
	}
	calls = made->sampled ? nodes[CALLTREE_ROOT].count : system_calls ? system_calls : calls;
	rc = buf_printf(out, "# %" PRIu64 " %s on %zu paths, ", calls, made->sampled ? "samples" : "calls", n - 1);
	if (!rc)
		rc = ticks_print(out, &made->clock, calltree_total(made->tree));
	return rc ? rc
	          : buf_printf(out, "%s%s %s\n#\n", made->clock.hz ? "" : " ", ticks_unit(&made->clock),
	                       made->sampled ? "on processors" : "in them");
}

/* --- Functions -----------------------------------------------------------------------------------------------------
 */

static uint64_t weight_of(const struct children *c, const struct calltree_node *node)
{
	return c->weight == PROFILE_TIME ? node->total : node->count;
}

/* The part of a graph below its only function, as nodes of the other kind in one piece of memory. */
static int graph(void *ctx, const struct profile_entry *entry, bool callers, struct profile_node **root)
{
	struct children *c = ctx;
	bool *wanted = &c->wanted[entry - c->entries];
	const struct calltree_node *nodes;
	struct calltree *g;
	size_t n;

	*wanted = true;
	g = calltree_graph(c->made->tree, c->wanted, callers, DEPTH);
	*wanted = false;
	if (!g)
		return -ENOMEM;
	nodes = calltree_nodes(g, &n);
	*root = calloc(n, sizeof(**root));
	for (size_t i = 1; i < n && *root; i++)
		(*root)[i - 1] = (struct profile_node){
			.entry = &c->entries[nodes[i].function],
			.weight = weight_of(c, &nodes[i]),
			.child = nodes[i].child ? *root + nodes[i].child - 1 : NULL,
			.sibling = nodes[i].sibling ? *root + nodes[i].sibling - 1 : NULL,
		};
	calltree_free(g);
	return *root ? 0 : -ENOMEM;
}

static void free_graph(struct profile_node *root)
{
	free(root);
}

static int by_children(const void *a, const void *b)
{
	const struct profile_entry *one = *(const struct profile_entry *const *)a;
	const struct profile_entry *two = *(const struct profile_entry *const *)b;

	if (one->children != two->children)
		return one->children > two->children ? -1 : 1;
	return strcmp(one->function, two->function);
}

static int by_self(const void *a, const void *b)
{
	const struct profile_entry *one = *(const struct profile_entry *const *)a;
	const struct profile_entry *two = *(const struct profile_entry *const *)b;

	return one->self != two->self ? (one->self > two->self ? -1 : 1) : by_children(a, b);
}

static int make_entries(struct children *c)
{
	const struct calltree_function *functions = calltree_functions(c->made->tree, &c->n);

	c->entries = calloc(c->n + 1, sizeof(*c->entries));
	c->sorted = reallocarray(NULL, c->n + 1, sizeof(*c->sorted));
	c->wanted = calloc(c->n + 1, sizeof(*c->wanted));
	if (!c->entries || !c->sorted || !c->wanted)
		return -ENOMEM;
	for (size_t i = 0; i < c->n; i++) {
		const struct calltree_function *f = &functions[i];
		bool time = c->weight == PROFILE_TIME;

		c->sorted[i] = &c->entries[i];
		c->entries[i] = (struct profile_entry){
			.children = time ? f->total : f->count,
			.self = time ? f->self : f->count,
			.comm = "",
			.object = *f->module ? f->module : "[unknown]",
			.function = f->name,
			.kernel = strcmp(f->module, "[kernel]") == 0,
		};
	}
	return 0;
}

static uint64_t total_of(const struct children *c)
{
	uint64_t total = 0;

	for (size_t i = 0; i < c->n; i++)
		total += c->entries[i].self;
	return total;
}

int children_table_show(const struct profile_table *table, struct call_tree *made, struct page *page)
{
	struct children c = {.made = made, .weight = table->weight};
	struct profile_source source = {.ctx = &c, .graph = graph, .free_graph = free_graph, .clock = made->clock};
	int rc = make_entries(&c);

	if (!rc && table->format == TABLE_TEXT)
		rc = put_head(made, &page->text);
	if (!rc) {
		source.total = total_of(&c);
		qsort(c.sorted, c.n, sizeof(*c.sorted), table->self_only ? by_self : by_children);
		rc = profile_entries_show(table, &source, c.sorted, c.n, page);
	}
	free(c.entries);
	free(c.sorted);
	free(c.wanted);
	return rc;
}

/* --- Paths ---------------------------------------------------------------------------------------------------------
 */

static const struct table_column path_columns[] = {
	{"Self", "self", .time = true, .width = 8},
	{"Share", "percent", .width = 7},
	{"Time", "time", .time = true, .spare = 1, .width = 8},
	{"Calls", "calls", .width = 8},
	{"Path", "path", .left = true, .text = true, .cut = true},
	{0},
};

struct path {
	uint64_t self;
	uint32_t node;
};

static int by_own(const void *a, const void *b)
{
	const struct path *one = a, *two = b;

	if (one->self != two->self)
		return one->self > two->self ? -1 : 1;
	return one->node < two->node ? -1 : one->node > two->node;
}

static void put_path(struct table *t, const struct call_tree *made, const struct calltree_node *node, uint32_t number,
                     uint64_t total)
{
	cleanup_buf struct buf text = BUF_INIT;

	table_ticks(t, node->self);
	table_printf(t, t->format == TABLE_TEXT ? "%.2f%%" : "%.4f",
	             total ? 100.0 * (double)node->self / (double)total : 0.0);
	table_ticks(t, node->total);
	table_number(t, node->count);
	if (!t->err)
		t->err = call_tree_path(&text, made->tree, number, t->format == TABLE_TEXT);
	table_text(t, text.len ? text.data : "");
}

int paths_table_show(const struct profile_table *table, struct call_tree *made, struct page *page)
{
	uint64_t total = calltree_total(made->tree);
	size_t n, shown = 0;
	const struct calltree_node *nodes = calltree_nodes(made->tree, &n);
	struct path *paths = reallocarray(NULL, n, sizeof(*paths));
	struct table t;
	int rc = paths ? 0 : -ENOMEM;

	if (!rc && table->format == TABLE_TEXT)
		rc = put_head(made, &page->text);
	if (rc) {
		free(paths);
		return rc;
	}
	for (size_t i = 1; i < n; i++)
		if (nodes[i].count && 100.0 * (double)nodes[i].self >= table->percent * (double)total)
			paths[shown++] = (struct path){nodes[i].self, (uint32_t)i};
	qsort(paths, shown, sizeof(*paths), by_own);
	if (table->limit && table->limit < shown)
		shown = table->limit;
	table_begin(&t, page, table->format, call_tree_columns(made, path_columns), made->clock);
	for (size_t i = 0; i < shown && !t.err; i++)
		put_path(&t, made, &nodes[paths[i].node], paths[i].node, total);
	free(paths);
	return table_end(&t);
}
