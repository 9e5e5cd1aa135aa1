/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/commands.h>

#include <errno.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/answer/output/table.h>
#include <exectrace/answer/view/call_tree.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 8          /* levels, unless more are asked for */
#define DEPTH_MAX 10000u /* levels */
#define PERCENT 1.0      /* branches below that are left out */
#define NAMED 5u         /* names that a message offers */
#define INDENT_MAX 100u  /* levels that are indented */

enum {
	OPT_TASK = ANALYSIS_OPTIONS,
	OPT_IRQ,
	OPT_CLOCK,
	OPT_DEPTH,
	OPT_PERCENT,
};

static const struct option_spec graph_table[] = {
	ANALYSIS_SELECT_ROWS,
	ANALYSIS_EVENT_ROW,
	GUEST_TASK_ROWS("Functions of a guest, imported logs"),
	ANALYSIS_CONTROL_ROWS,
	GUEST_CLOCK_ROW(GUEST_CLOCK_HELP),
	{.name = "depth",
         .letter = 'd',
         .arg = "N",
         .id = OPT_DEPTH,
         .group = "Output",
         .help = "only N levels of callers and of callees (8)"},
	{.name = "percent-limit",
         .arg = "PERCENT",
         .id = OPT_PERCENT,
         .help = "leave out branches below that share of the function's time (1)"},
	ANALYSIS_FORMAT_ROWS,
	ANALYSIS_SHOW_ROWS,
	{0},
};

struct graph_command {
	struct analysis analysis;
	struct guest_select guest;
	size_t depth;
	double percent;
};

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct graph_command *c = ctx;

	switch (use->spec->id) {
	case OPT_DEPTH:
		return analysis_count(use, &c->depth, err);
	case OPT_PERCENT:
		return analysis_percent(use, &c->percent, err);
	default:
		return guest_take(&c->guest, use, err);
	}
}

/* --- The table -----------------------------------------------------------------------------------------------------
 */

#define BEHIND_TIMES                                                                                                  \
	{"Calls", "calls", .width = 8}, {"  ", "relation", .left = true, .text = true}, {"", "level", .text = false}, \
		{"Function", "function", .left = true, .text = true, .cut = true},                                    \
	{                                                                                                             \
		"Module", "module", .left = true, .text = true, .spare = 1                                            \
	}
#define ELAPSED                                           \
	{"Elapsed", "elapsed", .time = true, .width = 8}, \
	{                                                 \
		"Share", "percent", .width = 7            \
	}
#define WAITS                                                \
	{"Ran", "ran", .time = true, .width = 8},            \
	{                                                    \
		"Waited", "waited", .time = true, .width = 8 \
	}

static const struct table_column columns[] = {{"Time", "time", .time = true, .width = 8},
                                              {"Share", "percent", .width = 7},
                                              BEHIND_TIMES,
                                              {0}};

/* Of a guest, where ticks are time, it has what was waited: for people, for machines. */
static const struct table_column wait_columns[] = {ELAPSED, WAITS, BEHIND_TIMES, {0}};
static const struct table_column plain_wait_columns[] = {ELAPSED, BEHIND_TIMES, WAITS, {0}};

/* What is asked for. */
struct wanted {
	uint32_t *functions;
	size_t n;
};

enum relation { RELATION_CALLER, RELATION_SELF, RELATION_CALLEE, RELATION_INTERRUPTED };

/* For machines, for people. */
static const char *const relations[][2] = {{"caller", "<-"}, {"self", "=="}, {"callee", "->"}, {"interrupted", "<~"}};

struct graph_drawing {
	struct table table;
	const struct calltree_function *functions;
	uint64_t limit; /* branches with less are left out */
	uint64_t whole; /* 100 % */
	bool waits;     /* there are columns of what it ran, and waited */
};

static void put_waits(struct table *t, const struct calltree_weight *weight)
{
	table_ticks(t, weight->total - weight->waited);
	table_ticks(t, weight->waited);
}

/* level: of the node; 0: the function itself. */
static void put_node(struct graph_drawing *d, const struct calltree_node *node, enum relation relation, unsigned level)
{
	const struct calltree_function *f = &d->functions[node->function];
	struct table *t = &d->table;
	char text[400];
	int marks = (int)(level < INDENT_MAX ? level : INDENT_MAX) * 3;

	if (strcmp(f->comm, CALLTREE_INTERRUPTED) == 0)
		relation = RELATION_INTERRUPTED;
	table_ticks(t, node->sides[0].total);
	table_printf(t, t->format == TABLE_TEXT ? "%.2f%%" : "%.4f",
	             d->whole ? 100.0 * (double)node->sides[0].total / (double)d->whole : 0.0);
	if (d->waits && t->format == TABLE_TEXT)
		put_waits(t, &node->sides[0]);
	table_number(t, node->sides[0].count);
	table_text(t, relations[relation][t->format == TABLE_TEXT]);
	table_number(t, level);
	if (t->format == TABLE_TEXT && level) {
		for (int i = 0; i < marks; i++)
			text[i] = i % 3 ? ' ' : '|';
		snprintf(text + marks, sizeof(text) - (size_t)marks, "%s", f->name);
		table_text(t, text);
	} else {
		table_text(t, f->name);
	}
	table_text(t, f->module);
	if (d->waits && t->format != TABLE_TEXT)
		put_waits(t, &node->sides[0]);
}

/* All below a node of a graph. */
static void put_branches(struct graph_drawing *d, const struct calltree_node *nodes, uint32_t top,
                         enum relation relation)
{
	uint32_t node = nodes[top].child;
	unsigned level = 1;

	while (node) {
		bool shown = nodes[node].sides[0].total >= d->limit;

		if (shown)
			put_node(d, &nodes[node], relation, level);
		if (shown && nodes[node].child) {
			node = nodes[node].child;
			level++;
			continue;
		}
		while (node != top && !nodes[node].sibling) {
			node = nodes[node].parent;
			level--;
		}
		node = node == top ? 0 : nodes[node].sibling;
	}
}

/* The node of a function among those below the root. */
static uint32_t find(const struct calltree_node *nodes, uint32_t function)
{
	uint32_t node = nodes[CALLTREE_ROOT].child;

	while (node && nodes[node].function != function)
		node = nodes[node].sibling;
	return node;
}

static int draw(struct graph_drawing *d, const struct graph_command *c, const struct calltree *up,
                const struct calltree *down)
{
	size_t n;
	const struct calltree_node *callers = calltree_nodes(up, &n), *callees = calltree_nodes(down, &n);

	for (uint32_t f = callees[CALLTREE_ROOT].child; f; f = callees[f].sibling) {
		const struct calltree_node *node = &callees[f];

		d->whole = node->sides[0].total;
		d->limit = (uint64_t)(c->percent / 100 * (double)d->whole);
		put_branches(d, callers, find(callers, node->function), RELATION_CALLER);
		put_node(d, node, RELATION_SELF, 0);
		put_branches(d, callees, f, RELATION_CALLEE);
	}
	return table_end(&d->table);
}

static int print_waits(struct buf *out, const struct replay_clock *clock, const struct calltree_weight *weight)
{
	int rc = buf_puts(out, " in all, ");

	if (!rc)
		rc = ticks_print(out, clock, weight->waited);
	return rc ? rc : buf_puts(out, " of that waited, ");
}

static int put_head(struct buf *out, const struct call_tree *made, const struct wanted *wanted)
{
	const struct replay_clock clock = made->clock;
	const struct calltree *t = made->tree;
	uint64_t total = calltree_total(t, 0);
	size_t n;
	const struct calltree_function *functions = calltree_functions(t, &n);
	int rc = 0;

	for (size_t i = 0; i < wanted->n && !rc; i++) {
		const struct calltree_function *f = &functions[wanted->functions[i]];
		const struct calltree_weight *weight = &f->sides[0];

		rc = buf_printf(out, "# %s: %llu %s, ", f->name, (unsigned long long)weight->count,
		                made->sampled ? "samples" : "calls");
		if (!rc)
			rc = ticks_print(out, &clock, weight->total);
		if (!rc && made->elapsed)
			rc = print_waits(out, &clock, weight);
		else if (!rc)
			rc = buf_printf(out, "%s%s (%.2f%% of all), ", clock.hz ? "" : " ", ticks_unit(&clock),
			                total ? 100.0 * (double)weight->total / (double)total : 0.0);
		if (!rc)
			rc = ticks_print(out, &clock, weight->self);
		if (!rc)
			rc = buf_puts(out, " of it itself\n");
	}
	return rc ? rc : buf_puts(out, "#\n");
}

static int show(struct graph_command *c, struct call_tree *made, const struct wanted *wanted)
{
	const struct calltree *t = made->tree;
	unsigned depth = c->depth < DEPTH_MAX ? (unsigned)c->depth : DEPTH_MAX;
	struct calltree *up = calltree_graph(t, wanted->functions, wanted->n, CALLTREE_CALLERS, depth);
	struct calltree *down = calltree_graph(t, wanted->functions, wanted->n, CALLTREE_CALLEES, depth);
	struct graph_drawing d = {.limit = 0};
	const struct table_column *shown = columns;
	struct page page;
	size_t n;
	int rc = up && down ? 0 : -ENOMEM;

	analysis_page(&c->analysis, &page);
	if (!rc && c->analysis.format == TABLE_TEXT)
		rc = put_head(&page.text, made, wanted);
	if (!rc) {
		d.waits = made->elapsed;
		if (d.waits)
			shown = c->analysis.format == TABLE_TEXT ? wait_columns : plain_wait_columns;
		table_begin(&d.table, &page, c->analysis.format, call_tree_columns(made, shown), made->clock);
		d.functions = calltree_functions(t, &n);
		rc = draw(&d, c, up, down);
	}
	calltree_free(up);
	calltree_free(down);
	return page_end(&page, rc);
}

/* --- Which functions -----------------------------------------------------------------------------------------------
 */

/* There is none of that name: which ones may be meant? */
static int refuse(const char *name, const struct calltree_function *functions, size_t n, struct buf *err)
{
	unsigned named = 0;
	int rc = buf_printf(err, "no function '%s' was called", name);

	for (size_t i = 0; i < n && !rc && named < NAMED; i++)
		if (functions[i].sides[0].count && strstr(functions[i].name, name)) {
			rc = buf_puts(err, named++ ? ", " : "; there are ");
			if (!rc)
				rc = cell_text(err, functions[i].name, strlen(functions[i].name));
		}
	return rc ? rc : -EINVAL;
}

/* What `report` has as the object of code that belongs to no file: it is told by its addresses, of which nobody knows
 * one. */
#define NOWHERE "[unknown]"

/* A system call goes by its name alone, too. */
static bool is_meant(const char *name, const struct calltree_function *f)
{
	size_t n = strlen(name);

	if (fnmatch(name, f->name, 0) == 0 || strcmp(name, f->name) == 0)
		return true;
	if (strcmp(name, NOWHERE) == 0 && !*f->module && !f->call)
		return true;
	return f->call && strlen(f->name) == n + 2 && strncmp(f->name + 1, name, n) == 0;
}

static int graph(struct graph_command *c, struct call_tree *made, struct buf *err)
{
	const char *name = c->analysis.word;
	size_t n;
	const struct calltree_function *functions = calltree_functions(made->tree, &n);
	struct wanted wanted = {.functions = calloc(n, sizeof(*wanted.functions))};
	int rc = wanted.functions ? 0 : -ENOMEM;

	for (uint32_t i = 1; i < n && !rc; i++)
		if (functions[i].sides[0].count && is_meant(name, &functions[i]))
			wanted.functions[wanted.n++] = i;
	if (!rc)
		rc = wanted.n ? show(c, made, &wanted) : refuse(name, functions, n, err);
	free(wanted.functions);
	return rc;
}

static int settle(void *ctx, struct buf *err)
{
	const struct graph_command *c = ctx;

	if (c->analysis.word)
		return 0;
	return buf_puts(err, "a function is missing; try '" PROGRAM " help graph'") ? -ENOMEM : -EINVAL;
}

static int run(void *ctx, struct recording *r[], struct buf *err)
{
	struct graph_command *c = ctx;
	struct call_tree made = {.guest = &c->guest, .analysis = &c->analysis, .elapsed = true, .interrupted = true};
	int rc = call_tree_open(&made, &r[0], c->analysis.data, err);

	if (!rc)
		rc = graph(c, &made, err);
	calltree_free(made.tree);
	return rc;
}

static int graph_main(char **argv, int at)
{
	static const struct analysis_command command = {.command = &cmd_graph,
	                                                .word = true,
	                                                .option = take_option,
	                                                .settle = settle,
	                                                .run = run};
	struct graph_command c = {.guest = {.prefers_host = true}, .depth = DEPTH, .percent = PERCENT};

	return analysis_main(&c.analysis, &command, &c, argv, at);
}

const struct command cmd_graph = {
	.name = "graph",
	.args = "[OPTION]... FUNCTION [DATA]",
	.summary = "show who calls a function, and what it calls",
	.about = "FUNCTION is a name or a pattern. DATA is a directory that a run recorded into\n"
		 "(exectrace.data), one of its .xtr files, or what import has made.\n",
	.options = graph_table,
	.run = graph_main,
};
