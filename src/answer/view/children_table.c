/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/children_table.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int put_head(const struct call_tree *made, struct buf *out)
{
	size_t n, functions;
	const struct calltree_node *nodes = calltree_nodes(made->tree, &n);
	const struct calltree_function *f = calltree_functions(made->tree, &functions);
	uint64_t calls = 0, system_calls = 0;
	int rc;

	for (size_t i = 1; i < n; i++) {
		calls += nodes[i].sides[0].count;
		system_calls += f[nodes[i].function].call ? nodes[i].sides[0].count : 0;
	}
	calls = made->sampled ? nodes[CALLTREE_ROOT].sides[0].count : system_calls ? system_calls : calls;
	rc = buf_printf(out, "# %" PRIu64 " %s on %zu paths, ", calls, made->sampled ? "samples" : "calls", n - 1);
	if (!rc)
		rc = ticks_print(out, &made->clock, calltree_total(made->tree, 0));
	return rc ? rc
	          : buf_printf(out, "%s%s %s\n#\n", made->clock.hz ? "" : " ", ticks_unit(&made->clock),
	                       made->sampled ? "on processors" : "in them");
}

int children_table_show(const struct profile_table *table, struct call_tree *made, struct page *page)
{
	const struct profile_source source = {
		.tree = made->tree,
		.clock = made->clock,
		.count = table->weight == PROFILE_COUNT,
		.callers = CALLTREE_CALLERS,
	};
	int rc = table->format == TABLE_TEXT ? put_head(made, &page->text) : 0;

	return rc ? rc : profile_entries_show(table, &source, page);
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

	const struct calltree_weight *weight = &node->sides[0];

	table_ticks(t, weight->self);
	table_printf(t, t->format == TABLE_TEXT ? "%.2f%%" : "%.4f",
	             total ? 100.0 * (double)weight->self / (double)total : 0.0);
	table_ticks(t, weight->total);
	table_number(t, weight->count);
	if (!t->err)
		t->err = call_tree_path(&text, made->tree, number, t->format == TABLE_TEXT);
	table_text(t, text.len ? text.data : "");
}

int paths_table_show(const struct profile_table *table, struct call_tree *made, struct page *page)
{
	uint64_t total = calltree_total(made->tree, 0);
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
		if (nodes[i].sides[0].count && 100.0 * (double)nodes[i].sides[0].self >= table->percent * (double)total)
			paths[shown++] = (struct path){nodes[i].sides[0].self, (uint32_t)i};
	qsort(paths, shown, sizeof(*paths), by_own);
	if (table->limit && table->limit < shown)
		shown = table->limit;
	table_begin(&t, page, table->format, call_tree_columns(made, path_columns), made->clock);
	for (size_t i = 0; i < shown && !t.err; i++)
		put_path(&t, made, &nodes[paths[i].node], paths[i].node, total);
	free(paths);
	return table_end(&t);
}
