/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/export/export.h>

#include "export_run.h"
#include <errno.h>
#include <exectrace/answer/view/analysis.h>
#include <exectrace/cli/commands.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_FORMAT = ANALYSIS_OPTIONS,
	OPT_OUTPUT,
	OPT_WEIGHT,
	OPT_BUDGET,
	OPT_SPLIT,
	OPT_DIFF,
	OPT_FUNCTION,
	OPT_TASK,
	OPT_IRQ,
	OPT_MAX,
	OPT_CLOCK,
};

/* In the order of enum export_weight. */
static const char *const weights[] = {"time", "count", NULL};

static const struct option_spec export_table[] = {
	ANALYSIS_SELECT_ROWS,
	ANALYSIS_EVENT_ROW,
	{.name = "function",
         .arg = "FUNCTION",
         .id = OPT_FUNCTION,
         .group = "Functions of a guest",
         .help = "only this function and what it calls; may be a pattern"},
	GUEST_SELECT_ROWS(NULL),
	ANALYSIS_CONTROL_ROWS,
	{.name = "format",
         .letter = 'f',
         .arg = "FORMAT",
         .id = OPT_FORMAT,
         .words = export_format,
         .flags = OPTION_ONLY,
         .group = "Output",
         .help = "json (the default): an object a line; csv: a row a call; folded: stacks for flame graphs; "
                 "callgrind: for KCachegrind; chrome, perfetto: tracks over time, for ui.perfetto.dev; html: a page "
                 "with a flame graph, a chart and a table; otlp: a trace with a span a process, for OpenTelemetry; "
                 "sqlite: a database, to which the run is added; uftrace: a directory for uftrace"},
	{.name = "output",
         .letter = 'o',
         .arg = "FILE",
         .id = OPT_OUTPUT,
         .hint = OPTION_FILE,
         .help = "write to FILE, which is there when it is complete (default, and -: standard output)"},
	{.name = "weight",
         .arg = "WEIGHT",
         .id = OPT_WEIGHT,
         .choices = weights,
         .help = "of folded stacks: time (the default), in ns; count, of calls or samples"},
	{.name = "budget",
         .arg = "SIZE|EVENTS",
         .id = OPT_BUDGET,
         .help = "fold the shortest calls away until it is no larger than this: 50M, or 200000 calls"},
	{.name = "split",
         .arg = "SIZE|TIME",
         .id = OPT_SPLIT,
         .help = "write files FILE.0001, FILE.0002, ...: of this size (1G), or of this much time each (10s)"},
	{.name = "diff",
         .arg = "OTHER",
         .id = OPT_DIFF,
         .hint = OPTION_FILE,
         .help = "html: show what DATA has more or less of than this recording"},
	{.name = "help", .letter = 'h', .id = ANALYSIS_HELP, .flags = OPTION_LAST, .help = "show this"},
	{0},
};

static int take_budget(struct export_run *c, const struct option_use *use, struct buf *err)
{
	int rc = budget_parse(use->value, &c->budget_bytes, &c->budget_events);

	if (rc && buf_printf(err, "--budget: '%s' is neither a size such as 50M nor a number of calls (argument %d)",
	                     use->value, use->at))
		return -ENOMEM;
	return rc;
}

/* A number alone would be neither. */
static int take_split(struct export_run *c, const struct option_use *use, struct buf *err)
{
	uint64_t number;
	int rc = budget_parse(use->value, &c->split_bytes, &number);

	c->split_time = 0;
	if (rc)
		rc = duration_parse(use->value, &c->split_time);
	if (!c->split_bytes && !c->split_time)
		rc = -EINVAL;
	if (rc && buf_printf(err, "--split: '%s' is neither a size such as 1G nor a time such as 10s (argument %d)",
	                     use->value, use->at))
		return -ENOMEM;
	return rc;
}

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct export_run *c = ctx;

	switch (use->spec->id) {
	case OPT_FORMAT:
		c->format = use->value;
		return 0;
	case OPT_OUTPUT:
		c->output = strcmp(use->value, "-") ? use->value : NULL;
		return 0;
	case OPT_DIFF:
		c->diff = use->value;
		return 0;
	case OPT_WEIGHT:
		c->weighted = true;
		c->weight = (enum export_weight)analysis_choice(use);
		return 0;
	case OPT_BUDGET:
		return take_budget(c, use, err);
	case OPT_SPLIT:
		return take_split(c, use, err);
	case OPT_FUNCTION:
		c->guest.under = use->value;
		c->guest.any = true;
		return 0;
	default:
		return guest_take(&c->guest, use, err);
	}
}

/* Lines are what can be cut apart, and by time those that are in its order. */
static int check_split(const struct export_run *c, struct buf *err)
{
	if (!c->split_bytes && !c->split_time)
		return 0;
	if (!export_end(c->format))
		return buf_printf(err, "--split: %s is one whole, not lines: json, csv and otlp can be split",
		                  c->format);
	if (c->split_time && !export_is_timed(c->format))
		return buf_printf(err, "--split: the spans of %s are not in the order of time: use a size, such as 1G",
		                  c->format);
	if (!c->output)
		return buf_puts(err, "--split makes files: use --output=FILE");
	return 0;
}

static int check_several(const struct export_run *c, struct buf *err)
{
	if (!c->analysis.n_more)
		return 0;
	if (!export_joins(c->format))
		return buf_printf(err, "unexpected '%s': only json, otlp and sqlite take several recordings",
		                  c->analysis.more[0]);
	if (export_is_limited(c))
		return buf_printf(err, "unexpected '%s': --budget is for one recording", c->analysis.more[0]);
	return 0;
}

static int check(void *ctx, struct buf *err)
{
	const struct export_run *c = ctx;
	int r = 0;

	if (c->weighted && strcmp(c->format, "folded") != 0)
		r = buf_puts(err, "--weight goes with --format=folded only");
	else if (c->diff && !export_compares(c->format))
		r = buf_puts(err, "--diff goes with --format=html only");
	else if (export_is_limited(c) && strcmp(c->format, "html") == 0)
		r = buf_puts(err, "--budget: a page is small by itself");
	else if (export_is_limited(c) && strcmp(c->format, "callgrind") == 0)
		r = buf_puts(err, "--budget: a file for callgrind has sums only, which are few");
	else if (export_is_limited(c) && export_is_database(c->format))
		r = buf_puts(err,
		             "--budget: a database has all calls; choose among them with --filter, --min or --time");
	else if (!c->output && export_is_database(c->format))
		r = buf_printf(err, "%s is a database: use --output=FILE, to which the run is added", c->format);
	else if (!c->output && export_is_directory(c->format))
		r = buf_printf(err, "%s is a directory of files: use --output=DIRECTORY", c->format);
	else if (!c->output && export_is_binary(c->format) && isatty(STDOUT_FILENO))
		r = buf_printf(err, "%s is not for a terminal: use --output=FILE", c->format);
	else
		r = check_split(c, err);
	if (!r && !err->len)
		r = check_several(c, err);
	return r ? r : err->len ? -EINVAL : 0;
}

static int export_main(char **argv, int at)
{
	static const struct analysis_command command = {.command = &cmd_export,
	                                                .option = take_option,
	                                                .settle = check,
	                                                .run = export_run,
	                                                .many = true,
	                                                .execs = true};
	struct export_run c = {.format = export_format(0)};

	return analysis_main(&c.analysis, &command, &c, argv, at);
}

const struct command cmd_export = {
	.name = "export",
	.args = "[OPTION]... [DATA]...",
	.summary = "write a recording in a format that other tools read",
	.about = "DATA is a directory that a run recorded into (exectrace.data), one of its\n"
		 ".xtr files, or what import has made.\n",
	.options = export_table,
	.takes_file = true,
	.run = export_main,
};
