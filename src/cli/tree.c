/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/commands.h>

#include <errno.h>
#include <exectrace/answer/recording/tree.h>
#include <exectrace/answer/view/analysis.h>
#include <exectrace/answer/view/cell.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <string.h>

#define COMMAND_MAX 160  /* bytes of a command line, without --full ... */
#define COMMAND_MIN 24   /* ... also on a narrow terminal ... */
#define REST 46          /* ... where that much is left for what stands behind it */
#define DEPTH_MAX 200    /* levels that are indented */
#define BLUE "\033[36m"  /* durations */
#define RED "\033[1;31m" /* failures */
#define MARK "\033[1;32m"
#define PLAIN "\033[0m"

enum {
	OPT_FULL = ANALYSIS_OPTIONS,
};

static const struct option_spec tree_table[] = {
	{.name = "full", .id = OPT_FULL, .group = "Output", .help = "show command lines in full, however long"},
	ANALYSIS_FORMAT_ROWS,
	ANALYSIS_SHOW_ROWS,
	{0},
};

struct tree {
	struct analysis analysis;
	bool full;
	uint64_t start; /* of the first process */
	struct page page;
};

static bool failed(const struct tree_node *node)
{
	return node->end.known && node->end.wait_status != 0;
}

/* How much of the commands of a process there is room for. */
static size_t room_of(const struct tree *t, const struct tree_node *node)
{
	size_t taken = REST + 4 * (size_t)node->depth, width = (size_t)t->page.width;

	if (t->full)
		return SIZE_MAX;
	if (!width || width > taken + COMMAND_MAX)
		return COMMAND_MAX;
	return width > taken + COMMAND_MIN ? width - taken : COMMAND_MIN;
}

static int print_command(const char *command, size_t room, struct buf *out)
{
	size_t n = strlen(command);
	bool cut = n > room;
	int rc = cell_text(out, command, cut ? room - 3 : n);

	return rc || !cut ? rc : buf_puts(out, "...");
}

/* The commands of a process, joined by " => "; of many the first and the last. */
static int print_commands(const struct tree *t, const struct tree_node *node, struct buf *out)
{
	const char *command = node->commands.data;
	unsigned left_out = !t->full && node->n_commands > 2 ? node->n_commands - 2 : 0;
	size_t room = room_of(t, node);
	int rc = 0;

	if (node->lost)
		return buf_puts(out, "?");
	/* On a terminal they share what room there is. */
	if (t->page.width && node->n_commands > 1 && room / 2 >= COMMAND_MIN / 2)
		room /= 2;
	for (unsigned i = 0; i < node->n_commands && !rc; i++, command += strlen(command) + 1) {
		if (i == 1 && left_out)
			rc = buf_printf(out, " => (%u more)", left_out);
		if (i && i <= left_out)
			continue;
		if (!rc && i)
			rc = buf_puts(out, " => ");
		if (!rc)
			rc = print_command(command, room, out);
	}
	return rc || !node->forked ? rc : buf_puts(out, " (fork)");
}

/* The lines that lead from the ancestors, and the branch. */
static int print_branches(const struct tree_node *node, struct buf *out)
{
	const struct tree_node *line[DEPTH_MAX];
	size_t n = 0;
	int rc = 0;

	for (const struct tree_node *up = node; up->parent && n < DEPTH_MAX; up = up->parent)
		line[n++] = up;
	while (n-- && !rc) {
		if (n)
			rc = buf_puts(out, line[n]->sibling ? "│   " : "    ");
		else
			rc = buf_puts(out, line[n]->sibling ? "├── " : "└── ");
	}
	return rc;
}

static int print_duration(const struct tree *t, uint64_t ns, struct buf *out)
{
	int rc = buf_puts(out, t->page.color ? BLUE : "");

	if (!rc)
		rc = clock_print(out, ns);
	return rc ? rc : buf_puts(out, t->page.color ? PLAIN : "");
}

static int print_times(const struct tree *t, const struct tree_node *node, struct buf *out)
{
	int rc = 0;

	if (node->start >= t->start && node->start && !node->lost) {
		rc = buf_puts(out, " at ");
		if (!rc)
			rc = clock_print(out, node->start - t->start);
	}
	if (!rc && node->start && node->end.when >= node->start) {
		rc = buf_puts(out, ", ");
		if (!rc)
			rc = print_duration(t, node->end.when - node->start, out);
	}
	return rc;
}

static int print_end(const struct tree *t, const struct tree_node *node, struct buf *out)
{
	bool red = t->page.color && failed(node);
	int rc = buf_printf(out, ", %s", red ? RED : "");

	if (!rc)
		rc = exec_print_end(out, &node->end);
	if (!rc && red)
		rc = buf_puts(out, PLAIN);
	if (!rc && node->picked)
		rc = buf_printf(out, " %s<- picked%s", t->page.color ? MARK : "", t->page.color ? PLAIN : "");
	return rc;
}

static int print_node(const struct tree *t, const struct tree_node *node, struct buf *out)
{
	int rc = print_branches(node, out);

	if (!rc)
		rc = print_commands(t, node, out);
	if (!rc)
		rc = buf_printf(out, "  [%u]", node->pid);
	if (!rc)
		rc = print_times(t, node, out);
	if (!rc && !node->lost)
		rc = print_end(t, node, out);
	return rc ? rc : buf_putc(out, '\n');
}

/* --- For machines --------------------------------------------------------------------------------------------------
 */

static const struct table_column columns[] = {
	{"", "pid", .text = false},   {"", "parent", .text = false},  {"", "depth", .text = false},
	{"", "start", .time = true},  {"", "duration", .time = true}, {"", "status", .text = true},
	{"", "picked", .text = true}, {"", "command", .text = true},  {0},
};

static void plain_node(struct table *table, const struct tree *t, const struct tree_node *node)
{
	static const struct tree whole = {.full = true};
	cleanup_buf struct buf command = BUF_INIT, end = BUF_INIT;

	if (!table->err)
		table->err = print_commands(&whole, node, &command);
	if (!table->err && !node->lost)
		table->err = exec_print_end(&end, &node->end);
	table_number(table, node->pid);
	table_number(table, node->parent_pid);
	table_number(table, node->depth);
	table_number(table, node->start ? node->start - t->start : 0);
	if (node->start && node->end.when >= node->start)
		table_number(table, node->end.when - node->start);
	else
		table_text(table, "");
	table_text(table, end.data ? end.data : "");
	table_text(table, node->picked ? "yes" : "no");
	table_text(table, command.data ? command.data : "");
}

static int show_plain(struct tree *t, const struct process_tree *tree)
{
	static const struct replay_clock clock = {DATA_CLOCK_MONOTONIC, NS_PER_S};
	struct table table;

	table_begin(&table, &t->page, t->analysis.format, columns, clock);
	for (const struct tree_node *node = process_tree_first(tree); node; node = process_tree_next(node))
		plain_node(&table, t, node);
	return table_end(&table);
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

static int show(struct tree *t, const struct process_tree *tree)
{
	const struct tree_node *node = process_tree_first(tree);
	int rc = 0;

	t->start = process_tree_start(tree);
	if (t->analysis.format != TABLE_TEXT)
		return show_plain(t, tree);
	for (; node && !rc; node = process_tree_next(node)) {
		rc = print_node(t, node, &t->page.text);
		if (!rc)
			rc = page_flush(&t->page);
	}
	return rc;
}

static int run(void *ctx, struct recording *r[], struct buf *err)
{
	const struct recording_options options = {.by_files = true};
	struct process_tree *tree = NULL;
	struct tree *t = ctx;
	int rc = analysis_open(&t->analysis, &r[0], t->analysis.data, &options, err);

	if (!rc)
		rc = process_tree_new(&tree, r[0]);
	if (!rc) {
		analysis_page(&t->analysis, &t->page);
		rc = page_end(&t->page, show(t, tree));
	}
	process_tree_free(tree);
	return rc;
}

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct tree *t = ctx;

	(void)use;
	(void)err;
	t->full = true;
	return 0;
}

static int tree_main(char **argv, int at)
{
	static const struct analysis_command command = {.command = &cmd_tree,
	                                                .option = take_option,
	                                                .run = run,
	                                                .execs = true};
	struct tree t = {0};

	return analysis_main(&t.analysis, &command, &t, argv, at);
}

const struct command cmd_tree = {
	.name = "tree",
	.args = "[OPTION]... [DATA]",
	.summary = "show the processes of a recorded run as a tree",
	.about = "DATA is a directory that a run recorded into (exectrace.data), or one of its .xtr files.\n",
	.options = tree_table,
	.takes_file = true,
	.run = tree_main,
};
