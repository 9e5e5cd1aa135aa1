/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cmd/commands.h>

#include "profile_table.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/cmd/analysis.h>
#include <exectrace/cmd/help.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_CALL_GRAPH = ANALYSIS_OPTIONS,
	OPT_CHILDREN,
	OPT_NO_CHILDREN,
	OPT_WEIGHT,
	OPT_SORT,
	OPT_PERCENT,
	OPT_LIMIT,
	OPT_CSV,
};

#define PERCENT 0.5 /* below that an entry is left out */

/* In the order of enum profile_graph_kind. */
static const char *const graphs[] = {"none", "caller", "callee", NULL};

/* In the order of enum profile_weight. */
static const char *const weights[] = {"time", "count", NULL};

static const struct option_spec report_table[] = {
	ANALYSIS_SELECT_ROWS,
	{.name = "call-graph",
         .letter = 'g',
         .arg = "ORDER",
         .flags = OPTION_OPTIONAL,
         .choices = graphs,
         .id = OPT_CALL_GRAPH,
         .group = "Output",
         .help = "below each entry a tree: caller, from it down to the calls (the default with children), or callee, "
                 "from it up to its callers; none"},
	{.name = "children", .id = OPT_CHILDREN, .help = "count a stack for each function in it (the default)"},
	{.name = "no-children", .id = OPT_NO_CHILDREN, .help = "count it for the call alone"},
	{.name = "weight",
         .arg = "WHAT",
         .choices = weights,
         .id = OPT_WEIGHT,
         .help = "add up time (the default) or count"},
	{.name = "sort",
         .letter = 's',
         .arg = "KEYS",
         .id = OPT_SORT,
         .help = "an entry for each comm, dso, sym: those of them that are named, separated by commas (all)"},
	{.name = "percent-limit",
         .arg = "PERCENT",
         .id = OPT_PERCENT,
         .help = "leave out entries and branches below that share (0.5; 0 with --csv)"},
	{.name = "limit", .letter = 'n', .arg = "N", .id = OPT_LIMIT, .help = "only the first N"},
	{.name = "csv", .id = OPT_CSV, .help = "comma-separated values, times in ns"},
	ANALYSIS_SHOW_ROWS,
	{0},
};

struct report {
	struct analysis analysis;
	struct profile_table table;
	bool any_graph; /* the order is not said */
	bool percent;   /* --percent-limit */
};

static int take_keys(struct report *s, const struct option_use *use, struct buf *err)
{
	static const struct {
		const char *name;
		unsigned key;
	} keys[] = {{"comm", PROFILE_COMM},
	            {"dso", PROFILE_OBJECT},
	            {"object", PROFILE_OBJECT},
	            {"sym", PROFILE_FUNCTION},
	            {"symbol", PROFILE_FUNCTION}};
	const char *at = use->value;
	int rc;

	s->table.keys = 0;
	for (;;) {
		size_t n = strcspn(at, ","), i = 0;

		while (i < sizeof(keys) / sizeof(keys[0]) &&
		       (strlen(keys[i].name) != n || strncmp(keys[i].name, at, n)))
			i++;
		if (i == sizeof(keys) / sizeof(keys[0])) {
			rc = buf_printf(err, "--sort: '%.*s' is none of comm, dso, sym (argument %d)", (int)n, at,
			                use->at);
			return rc ? rc : -EINVAL;
		}
		s->table.keys |= keys[i].key;
		if (!at[n])
			return 0;
		at += n + 1;
	}
}

static int take_percent(struct report *s, const struct option_use *use, struct buf *err)
{
	char *end;
	int rc;

	s->percent = true;
	s->table.percent = strtod(use->value, &end);
	if (*end == '%')
		end++;
	if (end != use->value && !*end && s->table.percent >= 0 && s->table.percent <= 100)
		return 0;
	rc = buf_printf(err, "--percent-limit: '%s' is not a percentage (argument %d)", use->value, use->at);
	return rc ? rc : -EINVAL;
}

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct report *s = ctx;

	switch (use->spec->id) {
	case OPT_CALL_GRAPH:
		s->any_graph = !use->value;
		s->table.graph = use->value ? (enum profile_graph_kind)analysis_choice(use) : GRAPH_CALLER;
		return 0;
	case OPT_CHILDREN:
	case OPT_NO_CHILDREN:
		s->table.self_only = use->spec->id == OPT_NO_CHILDREN;
		return 0;
	case OPT_WEIGHT:
		s->table.weight = (enum profile_weight)analysis_choice(use);
		return 0;
	case OPT_SORT:
		return take_keys(s, use, err);
	case OPT_PERCENT:
		return take_percent(s, use, err);
	case OPT_CSV:
		s->table.csv = true;
		return 0;
	default:
		return analysis_count(use, &s->table.limit, err);
	}
}

static int run(struct report *s, struct buf *err)
{
	const struct recording_options options = {.names = true, .by_files = true};
	struct recording *r = NULL;
	struct page page;
	int rc = analysis_open(&s->analysis, &r, &options, err);

	/* What a call was made by is of interest there, what it leads to is nothing. */
	if (s->any_graph && s->table.self_only)
		s->table.graph = GRAPH_CALLEE;
	if (s->table.csv && !s->percent)
		s->table.percent = 0;
	if (!rc) {
		page_begin(&page, s->analysis.paged, s->analysis.color);
		rc = page_end(&page, profile_table_show(&s->table, &s->analysis.select, r, &page));
	}
	return analysis_end(r, rc, err);
}

static int report_main(char **argv, int at)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct report s = {.table = {.keys = PROFILE_COMM | PROFILE_OBJECT | PROFILE_FUNCTION, .percent = PERCENT}};
	int rc = analysis_parse(&s.analysis, &cmd_report, argv, at, take_option, &s, &err);

	if (rc)
		rc = analysis_end(NULL, rc, &err);
	else if (s.analysis.help)
		rc = help_show_command(&cmd_report);
	else
		rc = run(&s, &err);
	analysis_release(&s.analysis);
	return rc;
}

const struct command cmd_report = {
	.name = "report",
	.args = "[OPTION]... [DATA]",
	.summary = "show which functions the time of system calls comes from",
	.about = "DATA is a directory that a run recorded into (exectrace.data), or one of its .xtr files.\n",
	.options = report_table,
	.takes_file = true,
	.run = report_main,
};
