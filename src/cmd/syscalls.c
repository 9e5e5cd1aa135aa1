/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cmd/commands.h>

#include "calls_list.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/cmd/analysis.h>
#include <exectrace/cmd/help.h>

enum {
	OPT_STACK = ANALYSIS_OPTIONS,
	OPT_SORT,
	OPT_LIMIT,
	OPT_CSV,
};

static const struct option_spec syscalls_table[] = {
	ANALYSIS_SELECT_ROWS,
	{.name = "stack", .letter = 'k', .id = OPT_STACK, .group = "Output", .help = "show the stack of each call"},
	{.name = "limit", .letter = 'n', .arg = "N", .id = OPT_LIMIT, .help = "only the first N"},
	ANALYSIS_SHOW_ROWS,
	{0},
};

struct syscalls {
	struct analysis analysis;
	struct calls_list list;
};

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct syscalls *s = ctx;

	switch (use->spec->id) {
	case OPT_STACK:
		s->list.stacks = true;
		return 0;
	default:
		return analysis_count(use, &s->list.limit, err);
	}
}

static int show(struct syscalls *s, struct recording *r)
{
	struct page page;

	page_begin(&page, s->analysis.paged, s->analysis.color);
	return page_end(&page, calls_list_show(&s->list, &s->analysis.select, r, &page));
}

static int run(struct syscalls *s, struct buf *err)
{
	const struct recording_options options = {.names = s->list.stacks};
	struct recording *r = NULL;
	int rc = analysis_open(&s->analysis, &r, &options, err);

	if (!rc)
		rc = show(s, r);
	return analysis_end(r, rc, err);
}

static int syscalls_main(char **argv, int at)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct syscalls s = {0};
	int rc = analysis_parse(&s.analysis, &cmd_syscalls, argv, at, take_option, &s, &err);

	if (rc)
		rc = analysis_end(NULL, rc, &err);
	else if (s.analysis.help)
		rc = help_show_command(&cmd_syscalls);
	else
		rc = run(&s, &err);
	analysis_release(&s.analysis);
	return rc;
}

const struct command cmd_syscalls = {
	.name = "syscalls",
	.args = "[OPTION]... [DATA]",
	.summary = "list or sum up recorded system calls",
	.about = "DATA is a directory that a run recorded into (exectrace.data), or one of its .xtr files.\n",
	.options = syscalls_table,
	.run = syscalls_main,
};
