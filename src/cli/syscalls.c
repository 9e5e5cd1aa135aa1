/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/commands.h>

#include <errno.h>
#include <exectrace/answer/view/analysis.h>
#include <exectrace/answer/view/calls_list.h>
#include <exectrace/answer/view/calls_table.h>

enum {
	OPT_STACK = ANALYSIS_OPTIONS,
	OPT_SUMMARY,
	OPT_DEPTH,
	OPT_SORT,
	OPT_LIMIT,
	OPT_CLOCK,
	OPT_NO_STARTUP,
	OPT_ABSOLUTE,
};

#define DEPTH 3 /* functions in a row */

/* In the order of enum summary_by. */
static const char *const kinds[] = {"call", "process", "stack", "path", "error", "command", NULL};

/* In the order of enum summary_sort; the list has the last three, in the order of enum calls_order. */
static const char *const orders[] = {"total", "count", "errors", "min",   "avg",      "p50", "p99",
                                     "max",   "name",  "return", "start", "duration", NULL};
#define LIST_ORDERS 9u

static const char *const clocks[] = {"run", "wall", NULL};

static const struct option_spec syscalls_table[] = {
	ANALYSIS_SELECT_ROWS,
	ANALYSIS_PROCESS_ROWS(NULL),
	{.name = "no-startup",
         .id = OPT_NO_STARTUP,
         .help = "not what every program does before main: loading libraries, locales"},
	{.name = "stack", .letter = 'k', .id = OPT_STACK, .group = "Output", .help = "show the stack of each call"},
	{.name = "summary",
         .letter = 'c',
         .arg = "BY",
         .flags = OPTION_OPTIONAL,
         .choices = kinds,
         .id = OPT_SUMMARY,
         .help = "a table instead of the list: by call (the default), process, stack, path, error, "
                 "command line"},
	{.name = "depth", .arg = "N", .id = OPT_DEPTH, .help = "with --summary=stack: tell apart by N functions (3)"},
	{.name = "sort",
         .arg = "KEY",
         .choices = orders,
         .id = OPT_SORT,
         .help = "the table by total, count, errors, min, avg, p50, p99, max, name; the list by return, start, "
                 "duration"},
	{.name = "clock",
         .arg = "CLOCK",
         .choices = clocks,
         .id = OPT_CLOCK,
         .help = "times of the list: since the start of the run (run, the default), since 1970 (wall)"},
	{.name = "limit", .letter = 'n', .arg = "N", .id = OPT_LIMIT, .help = "only the first N"},
	{.name = "absolute", .id = OPT_ABSOLUTE, .help = "files below the run's directory with their full paths"},
	ANALYSIS_FORMAT_ROWS,
	ANALYSIS_SHOW_ROWS,
	{0},
};

struct syscalls {
	struct analysis analysis;
	struct calls_list list;
	struct calls_table table;
	const char *sort; /* --sort, for messages */
	unsigned order;   /* of `orders` */
	bool summary;
	bool absolute;
	size_t limit;
	struct several several;
};

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct syscalls *s = ctx;
	size_t n = 0;
	int rc;

	switch (use->spec->id) {
	case OPT_STACK:
		s->list.stacks = true;
		return 0;
	case OPT_SUMMARY:
		s->summary = true;
		s->table.by = use->value ? (enum summary_by)analysis_choice(use) : SUMMARY_CALL;
		return 0;
	case OPT_SORT:
		s->sort = use->value;
		s->order = analysis_choice(use);
		return 0;
	case OPT_CLOCK:
		s->list.wall = analysis_choice(use) == 1;
		return 0;
	case OPT_NO_STARTUP:
		s->analysis.select.no_startup = true;
		return 0;
	case OPT_ABSOLUTE:
		s->absolute = true;
		return 0;
	case OPT_DEPTH:
		rc = analysis_count(use, &n, err);
		s->table.depth = n < UINT32_MAX ? (unsigned)n : 0;
		return rc;
	default:
		return analysis_count(use, &s->limit, err);
	}
}

/* Options that only have a meaning together. */
static int settle(void *ctx, struct buf *err)
{
	struct syscalls *s = ctx;
	int rc = 0;

	s->list.limit = s->table.limit = s->limit;
	s->list.format = s->table.format = s->analysis.format;
	if (s->sort && s->summary == (s->order >= LIST_ORDERS))
		rc = buf_printf(err, "--sort=%s goes %s --summary", s->sort, s->summary ? "without" : "with");
	else if (s->list.stacks && (s->summary || s->list.format != TABLE_TEXT))
		rc = buf_puts(err, "--stack goes with the list; a table by stacks is --summary=stack");
	else if (s->analysis.n_more && s->summary && s->table.by == SUMMARY_PROCESS)
		rc = buf_puts(err, "--summary=process is of one recording; --summary=command is of several");
	else if (s->summary)
		s->table.sort = (enum summary_sort)s->order;
	else if (s->analysis.n_more)
		rc = buf_printf(err, "unexpected '%s': several recordings are summed up only (--summary)",
		                s->analysis.more[0]);
	else if (s->sort)
		s->list.order = (enum calls_order)(s->order - LIST_ORDERS);
	if (rc)
		return rc;
	return err->len ? -EINVAL : 0;
}

static int show(struct syscalls *s, struct recording *r)
{
	const struct recorded_run *about = recording_run(r);
	struct page page;
	int rc;

	/* What machines read has one name for a file, wherever it ran. */
	s->table.relative = !s->absolute && s->analysis.format == TABLE_TEXT;
	if (about && s->table.relative)
		s->list.dir = about->cwd;
	analysis_page(&s->analysis, &page);
	if (s->summary)
		rc = calls_table_show(&s->table, &s->analysis.select, r, &page);
	else
		rc = calls_list_show(&s->list, &s->analysis.select, r, &page);
	return page_end(&page, rc);
}

static int run(void *ctx, struct recording *r[], struct buf *err)
{
	struct syscalls *s = ctx;
	bool names = s->analysis.select.no_startup || (s->summary ? s->table.by == SUMMARY_STACK : s->list.stacks);
	const struct recording_options options = {
		.names = names,
		/* Who is connected with whom may be in another file. */
		.by_files = s->summary && s->table.by != SUMMARY_PATH && s->table.by != SUMMARY_ERROR,
	};
	struct recording *first;
	int rc;

	s->several = (struct several){.analysis = &s->analysis, .options = &options, .choose = true, .r = &r[0]};
	s->list.named = s->table.named = names;
	s->table.several = &s->several;
	rc = several_next(&s->several, &first, err);
	if (rc > 0)
		rc = show(s, first);
	return rc ? rc : analysis_nothing(&s->analysis, err);
}

static int syscalls_main(char **argv, int at)
{
	static const struct analysis_command command = {.command = &cmd_syscalls,
	                                                .option = take_option,
	                                                .settle = settle,
	                                                .many = true,
	                                                .run = run};
	struct syscalls s = {.table = {.depth = DEPTH}};

	return analysis_main(&s.analysis, &command, &s, argv, at);
}

const struct command cmd_syscalls = {
	.name = "syscalls",
	.args = "[OPTION]... [DATA]...",
	.summary = "list or sum up recorded system calls",
	.about = "DATA is a directory that a run recorded into (exectrace.data), or one of its .xtr files.\n"
		 "With --summary, several ones count together.\n",
	.options = syscalls_table,
	.takes_file = true,
	.run = syscalls_main,
};
