/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/commands.h>

#include <errno.h>
#include <exectrace/answer/view/analysis.h>
#include <exectrace/answer/view/children_table.h>
#include <exectrace/answer/view/functions_table.h>
#include <exectrace/answer/view/host_table.h>
#include <exectrace/answer/view/profile_table.h>
#include <string.h>

enum {
	OPT_CALL_GRAPH = ANALYSIS_OPTIONS,
	OPT_CHILDREN,
	OPT_NO_CHILDREN,
	OPT_WEIGHT,
	OPT_SORT,
	OPT_PERCENT,
	OPT_LIMIT,
	OPT_TASK,
	OPT_IRQ,
	OPT_MAX,
	OPT_CLOCK,
	OPT_FUNCTION,
	OPT_BY,
	OPT_FIELDS,
	OPT_LONG,
	OPT_AT_LEAST,
	OPT_HOST,
};

#define PERCENT 0.5 /* below that an entry is left out */

/* In the order of enum profile_graph_kind. */
static const char *const graphs[] = {"none", "caller", "callee", NULL};

/* In the order of enum functions_by; the last one is another table. */
static const char *const subjects[] = {"function", "module", "task", "process", "cpu", "stack", NULL};

/* In the order of enum profile_weight. */
static const char *const weights[] = {"time", "count", NULL};

static const struct option_spec report_table[] = {
	ANALYSIS_SELECT_ROWS,
	ANALYSIS_PROCESS_ROWS(NULL),
	ANALYSIS_EVENT_ROW,
	GUEST_SELECT_ROWS("Functions of a guest, imported logs"),
	ANALYSIS_CONTROL_ROWS,
	{.name = "function",
         .arg = "FUNCTION",
         .id = OPT_FUNCTION,
         .help = "only this function and what it calls; may be a pattern"},
	{.name = "by",
         .arg = "WHAT",
         .choices = subjects,
         .id = OPT_BY,
         .help = "a row for each function (the default), module, task, process, cpu, stack (a path of calls)"},
	{.name = "fields",
         .letter = 'f',
         .arg = "COLUMNS",
         .id = OPT_FIELDS,
         .help = "columns, each a letter: F name, c count, t time, a average, r range, s time in callees, l local "
                 "time, m callee that took most, n calls of it, u all callees, p and q percentages of t and l, i min, "
                 "x max, z 99th percentile, o module, e calls without end, E elapsed, w waited, d what it "
                 "delayed the guest, g how the cost of calls grows, b first and y last call of those "
                 "(" FUNCTIONS_COLUMNS_TIMED " where the time of the host is known, else " FUNCTIONS_COLUMNS ")"},
	{.name = "long", .letter = 'l', .id = OPT_LONG, .help = "the same as -f " FUNCTIONS_COLUMNS_LONG},
	{.name = "at-least",
         .letter = 't',
         .arg = "TIME",
         .id = OPT_AT_LEAST,
         .help = "only rows with so much time: us, or with a unit"},
	{.name = "host",
         .id = OPT_HOST,
         .group = "Output",
         .help = "where the time of a process goes, such as a QEMU: its system calls, its threads by what they are "
                 "for, its functions"},
	{.name = "call-graph",
         .letter = 'g',
         .arg = "ORDER",
         .flags = OPTION_OPTIONAL,
         .choices = graphs,
         .id = OPT_CALL_GRAPH,
         .help = "below each entry a tree: caller, from it down to the calls (the default with children), or callee, "
                 "from it up to its callers; none"},
	{.name = "children",
         .id = OPT_CHILDREN,
         .help = "columns Children and Self (system calls: the default): count a stack for each function in it"},
	{.name = "no-children", .id = OPT_NO_CHILDREN, .help = "count it for the function or call alone"},
	{.name = "weight",
         .arg = "WHAT",
         .choices = weights,
         .id = OPT_WEIGHT,
         .help = "add up time (the default) or count"},
	{.name = "sort",
         .letter = 's',
         .arg = "KEYS",
         .id = OPT_SORT,
         .help = "system calls: an entry for each comm, dso, sym: those of them that are named, separated by commas "
                 "(all); guest: by a column, one of F c t a s l i x z d E w g (d, else t)"},
	{.name = "percent-limit",
         .arg = "PERCENT",
         .id = OPT_PERCENT,
         .help = "leave out entries and branches below that share (0.5; 0 with --csv)"},
	{.name = "limit", .letter = 'n', .arg = "N", .id = OPT_LIMIT, .help = "only the first N"},
	ANALYSIS_FORMAT_ROWS,
	ANALYSIS_SHOW_ROWS,
	{0},
};

struct report {
	struct analysis analysis;
	struct several several;
	struct several *more;             /* that, when several recordings are given; else NULL */
	struct profile_table table;       /* of system calls */
	struct functions_table functions; /* of a guest */
	struct guest_select guest;
	bool children;    /* children and self, or graphs, are asked for */
	bool paths;       /* --by=stack */
	const char *sort; /* --sort, which means different things to them */
	bool any_graph;   /* the order is not said */
	bool percent;     /* --percent-limit */
	bool host;        /* --host */
};

static int take_keys(struct report *s, struct buf *err)
{
	static const struct {
		const char *name;
		unsigned key;
	} keys[] = {{"comm", CALLTREE_COMM},
	            {"dso", CALLTREE_MODULE},
	            {"object", CALLTREE_MODULE},
	            {"sym", CALLTREE_NAME},
	            {"symbol", CALLTREE_NAME}};
	const char *at = s->sort;
	int rc;

	s->table.keys = 0;
	for (;;) {
		size_t n = strcspn(at, ","), i = 0;

		while (i < sizeof(keys) / sizeof(keys[0]) &&
		       (strlen(keys[i].name) != n || strncmp(keys[i].name, at, n)))
			i++;
		if (i == sizeof(keys) / sizeof(keys[0])) {
			rc = buf_printf(err, "--sort: '%.*s' is none of comm, dso, sym", (int)n, at);
			return rc ? rc : -EINVAL;
		}
		s->table.keys |= keys[i].key;
		if (!at[n])
			return 0;
		at += n + 1;
	}
}

static int take_fields(struct report *s, const struct option_use *use, struct buf *err)
{
	const char *bad = functions_bad_column(use->value);
	int rc;

	s->functions.columns = use->value;
	if (!bad)
		return 0;
	rc = buf_printf(err, "--fields: '%s' is not a list of columns, each once (argument %d)", use->value, use->at);
	return rc ? rc : -EINVAL;
}

/* Paths are those of system calls too. */
static int take_subject(struct report *s, const struct option_use *use)
{
	unsigned by = analysis_choice(use);

	s->paths = !subjects[by + 1];
	s->functions.by = s->paths ? FUNCTIONS_BY_FUNCTION : (enum functions_by)by;
	s->guest.any |= !s->paths;
	return 0;
}

/* Options that are about the functions of a guest. */
static int take_guest_option(struct report *s, const struct option_use *use, struct buf *err)
{
	if (use->spec->id == OPT_BY)
		return take_subject(s, use);
	s->guest.any = true;
	switch (use->spec->id) {
	case OPT_FUNCTION:
		s->guest.under = use->value;
		return 0;
	case OPT_FIELDS:
		return take_fields(s, use, err);
	case OPT_LONG:
		s->functions.columns = FUNCTIONS_COLUMNS_LONG;
		return 0;
	case OPT_AT_LEAST:
		s->functions.at_least = use->value;
		return 0;
	default:
		return guest_take(&s->guest, use, err);
	}
}

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct report *s = ctx;

	switch (use->spec->id) {
	case OPT_CALL_GRAPH:
		s->children = true;
		s->any_graph = !use->value;
		s->table.graph = use->value ? (enum profile_graph_kind)analysis_choice(use) : GRAPH_CALLER;
		return 0;
	case OPT_CHILDREN:
	case OPT_NO_CHILDREN:
		s->children = true;
		s->table.self_only = use->spec->id == OPT_NO_CHILDREN;
		return 0;
	case OPT_HOST:
		s->host = true;
		return 0;
	case OPT_WEIGHT:
		s->table.weight = (enum profile_weight)analysis_choice(use);
		return 0;
	case OPT_SORT:
		s->sort = use->value;
		return 0;
	case OPT_PERCENT:
		s->percent = true;
		return analysis_percent(use, &s->table.percent, err);
	case OPT_LIMIT:
		return analysis_count(use, &s->table.limit, err);
	default:
		return take_guest_option(s, use, err);
	}
}

static int run_calls(struct report *s, struct recording *r, struct buf *err)
{
	struct page page;
	int rc = 0;

	if (s->guest.any)
		return buf_puts(err, GUEST_NOT_CALLS) ? -ENOMEM : -EINVAL;
	if (s->sort)
		rc = take_keys(s, err);
	if (rc)
		return rc;
	/* What a call was made by is of interest there, what it leads to is nothing. */
	if (s->any_graph && s->table.self_only)
		s->table.graph = GRAPH_CALLEE;
	if (s->table.format != TABLE_TEXT && !s->percent)
		s->table.percent = 0;
	analysis_page(&s->analysis, &page);
	if (s->host)
		return page_end(&page, host_table_show(&s->table, &s->analysis.select, r, &page));
	return page_end(&page, profile_table_show(&s->table, &s->analysis.select, r, &page, err));
}

/* Options that both kinds have, as they are for functions. 0, -EINVAL with a line in err, -ENOMEM. */
static int settle_functions(struct report *s, struct buf *err)
{
	struct functions_table *t = &s->functions;
	int rc = guest_check(&s->analysis, true, err);

	t->limit = s->table.limit;
	t->format = s->table.format;
	t->percent = s->percent ? s->table.percent : 0;
	if (!rc && s->table.weight != PROFILE_TIME)
		rc = buf_puts(err, "--weight=count goes with --children, --call-graph or system calls") ? -ENOMEM
		                                                                                        : -EINVAL;
	if (!rc && s->sort && (s->sort[1] || !functions_sort_by(s->sort[0], &t->sort)))
		rc = buf_printf(err, "--sort: '%s' is none of F c t a s l i x z d E w g", s->sort) ? -ENOMEM : -EINVAL;
	return rc;
}

static int run_functions(struct report *s, struct recording *r, size_t file, struct buf *err)
{
	const struct functions_guests guests = {r, file, &s->guest, &s->analysis, s->more};
	struct page page;
	int rc = settle_functions(s, err);

	if (rc)
		return rc;
	analysis_page(&s->analysis, &page);
	return page_end(&page, functions_table_show(&s->functions, &guests, &page, err));
}

/* Options of tables that are not shown. */
static int settle_paths(struct report *s, struct buf *err)
{
	if (s->sort)
		return buf_puts(err, "--sort goes with neither paths nor the children of a guest") ? -ENOMEM : -EINVAL;
	if (s->functions.at_least || s->functions.columns)
		return buf_puts(err, "columns and --at-least go with neither paths nor children") ? -ENOMEM : -EINVAL;
	if (s->children && (s->paths || s->functions.by != FUNCTIONS_BY_FUNCTION))
		return buf_puts(err, "--by goes with neither --children nor --call-graph") ? -ENOMEM : -EINVAL;
	s->table.keys = CALLTREE_MODULE | CALLTREE_NAME;
	if (s->any_graph && s->table.self_only)
		s->table.graph = GRAPH_CALLEE;
	if (s->table.format != TABLE_TEXT && !s->percent)
		s->table.percent = 0;
	return 0;
}

/* What a tree of all call paths is needed for. file: the first guest's; guests: how many there are. */
static int run_paths(struct report *s, struct recording *r, size_t file, int guests, struct buf *err)
{
	struct call_tree made = {.analysis = &s->analysis, .guest = &s->guest, .several = s->more};
	struct page page;
	int rc = settle_paths(s, err);

	if (!rc)
		rc = guests ? call_tree_guests(&made, r, file, err) : call_tree_calls(&made, r, err);
	if (!rc) {
		analysis_page(&s->analysis, &page);
		rc = s->paths ? paths_table_show(&s->table, &made, &page)
		              : children_table_show(&s->table, &made, &page);
		rc = page_end(&page, rc);
	}
	calltree_free(made.tree);
	return rc;
}

/* A guest's functions are no processes of the tree. --under was the name of --function there, and still is. */
static int settle_guest(struct report *s, struct buf *err)
{
	struct process_select *processes = &s->analysis.processes;

	if (processes->cmd || processes->picked)
		return buf_puts(err, "--cmd and --picked are about processes of the run, not about a guest's functions")
		               ? -ENOMEM
		               : -EINVAL;
	if (processes->under && !s->guest.under)
		s->guest.under = processes->under;
	return 0;
}

/* What is asked of the first recording, and of those behind it. */
static int look(struct report *s, struct recording *r, struct buf *err)
{
	size_t file;
	int guests = guest_files(&s->analysis, r, &file, err);
	int rc = guests > 0 ? settle_guest(s, err) : guests;

	if (rc)
		return rc;
	s->table.format = s->analysis.format;
	if (s->paths || (guests && s->children))
		return run_paths(s, r, file, guests, err);
	rc = guests ? run_functions(s, r, file, err) : run_calls(s, r, err);
	return rc || guests ? rc : analysis_nothing(&s->analysis, err);
}

static int run(void *ctx, struct recording *r[], struct buf *err)
{
	const struct recording_options options = {.names = true, .by_files = true};
	struct report *s = ctx;
	struct recording *first;
	int rc;

	s->several = (struct several){.analysis = &s->analysis,
	                              .options = &options,
	                              .choose = true,
	                              .guests = true,
	                              .r = &r[0]};
	s->more = s->analysis.n_more ? &s->several : NULL;
	s->table.several = s->more;
	rc = several_next(&s->several, &first, err);
	return rc > 0 ? look(s, first, err) : rc;
}

static int settle(void *ctx, struct buf *err)
{
	struct report *s = ctx;
	int rc;

	if (!s->host || !s->analysis.n_more)
		return 0;
	rc = buf_printf(err, "unexpected '%s': --host is of one recording", s->analysis.more[0]);
	return rc ? rc : -EINVAL;
}

static int report_main(char **argv, int at)
{
	static const struct analysis_command command = {.command = &cmd_report,
	                                                .option = take_option,
	                                                .settle = settle,
	                                                .many = true,
	                                                .run = run};
	struct report s = {.table = {.keys = CALLTREE_COMM | CALLTREE_MODULE | CALLTREE_NAME, .percent = PERCENT},
	                   .guest = {.prefers_host = true}};

	return analysis_main(&s.analysis, &command, &s, argv, at);
}

const struct command cmd_report = {
	.name = "report",
	.args = "[OPTION]... [DATA]...",
	.summary = "show which functions take the time",
	.about = "DATA is a directory that a run recorded into (exectrace.data), or one of its .xtr files.\n"
		 "Several ones count together.\n",
	.options = report_table,
	.takes_file = true,
	.run = report_main,
};
