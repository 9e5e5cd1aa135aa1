/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/commands.h>

#include <errno.h>
#include <exectrace/answer/processes/leaks.h>
#include <exectrace/answer/processes/profile_view.h>
#include <exectrace/answer/processes/programs.h>
#include <exectrace/answer/view/several.h>

enum {
	OPT_FULL = ANALYSIS_OPTIONS,
	OPT_STATE,
	OPT_SORT,
	OPT_MIN,
	OPT_FAILED,
	OPT_CRITICAL,
	OPT_DEPTH,
	OPT_FLAT,
	OPT_NO_FOLD,
	OPT_LONG,
	OPT_LEAKS,
};

/* In the order of enum profile_order. */
static const char *const orders[] = {"start", "time", "cpu", "peak", "read", "written", NULL};

static const struct option_spec tree_table[] = {
	ANALYSIS_PROCESS_ROWS("Processes"),
	ANALYSIS_PID_ROW("only these processes, or those of these threads"),
	{.name = "failed", .letter = 'Z', .id = OPT_FAILED, .help = "only processes that failed"},
	{.name = "critical",
         .id = OPT_CRITICAL,
         .help = "only those that the end of the run waited for: the child that ended last, and so on"},
	{.name = "min", .arg = "DURATION", .id = OPT_MIN, .help = "only those that took at least this long: 2ms, 50us"},
	{.name = "depth", .letter = 'd', .arg = "N", .id = OPT_DEPTH, .help = "only N levels"},
	{.name = "flat",
         .id = OPT_FLAT,
         .group = "Output",
         .help = "a row for each program: how many processes of it, how many failed, their times"},
	{.name = "leaks", .id = OPT_LEAKS, .help = "descriptors that programs began with, and did nothing with"},
	{.name = "sort",
         .arg = "KEY",
         .choices = orders,
         .id = OPT_SORT,
         .help = "siblings by start (the default), or by what they and all below them used: time (their own), cpu, "
                 "peak, read, written; programs by the same, time is the default"},
	{.name = "long", .letter = 'l', .id = OPT_LONG, .help = "bytes read and written, and starts, too"},
	{.name = "no-fold", .id = OPT_NO_FOLD, .help = "a row for each process, however many are alike"},
	{.name = "full", .id = OPT_FULL, .help = "the same, and command lines in full, however long"},
	{.name = "state",
         .id = OPT_STATE,
         .help = "below each process what its last program began with otherwise than that of its parent: environment, "
                 "limits, signals, descriptors, ..."},
	ANALYSIS_FORMAT_ROWS,
	ANALYSIS_SHOW_ROWS,
	{0},
};

struct cli_tree {
	struct analysis analysis;
	struct profile_options options;
	struct profile_view view;
	struct several several;
	struct programs *programs; /* with --flat */
	size_t processes, wanted;  /* of all recordings */
	bool flat;
	struct leaks *leaks; /* with --leaks */
	bool wants_leaks;
};

static int take_order(struct cli_tree *t, const struct option_use *use)
{
	t->options.order = (enum profile_order)analysis_choice(use);
	return 0;
}

static int take_min(struct cli_tree *t, const struct option_use *use, struct buf *err)
{
	int rc = 0;

	if (!duration_parse(use->value, &t->options.min))
		return 0;
	rc = buf_printf(err, "--min: '%s' is not a duration such as 2ms (argument %d)", use->value, use->at);
	return rc ? rc : -EINVAL;
}

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct cli_tree *t = ctx;

	switch (use->spec->id) {
	case OPT_SORT:
		return take_order(t, use);
	case OPT_MIN:
		return take_min(t, use, err);
	case OPT_DEPTH:
		return analysis_count(use, &t->options.levels, err);
	case OPT_FAILED:
		t->options.failed = true;
		return 0;
	case OPT_CRITICAL:
		t->options.critical = true;
		return 0;
	case OPT_FLAT:
		t->flat = true;
		return 0;
	case OPT_LEAKS:
		t->wants_leaks = true;
		return 0;
	case OPT_LONG:
		t->view.wide = true;
		return 0;
	default:
		t->view.state |= use->spec->id == OPT_STATE;
		t->view.full |= use->spec->id == OPT_FULL;
		t->options.fold = false;
		return 0;
	}
}

static int show(struct cli_tree *t, const struct profile *p)
{
	struct page page;
	int rc;

	analysis_page(&t->analysis, &page);
	t->view.page = &page;
	t->view.format = t->analysis.format;
	if (t->flat)
		rc = programs_show(t->programs, t->options.order, t->analysis.n_more, &page, t->view.format);
	else if (t->view.format != TABLE_TEXT)
		rc = profile_show_rows(&t->view, p);
	else
		rc = profile_show_tree(&t->view, p);
	return page_end(&page, rc);
}

static int show_leaks(struct cli_tree *t, const struct process_tree *tree, const struct recording *r, struct buf *err)
{
	struct page page;
	int rc = leaks_find(t->leaks, tree, r, &t->analysis.processes, err);

	if (rc)
		return rc;
	analysis_page(&t->analysis, &page);
	return page_end(&page, leaks_show(t->leaks, &page, t->analysis.format));
}

/* Nothing fits, and something was asked for. */
static int check(const struct cli_tree *t, struct buf *err)
{
	const struct profile_options *o = &t->options;

	if (t->wanted || !(o->failed || o->critical || o->min || o->select))
		return 0;
	buf_printf(err, "0 of %zu processes", t->processes);
	if (o->failed)
		buf_puts(err, " failed");
	if (o->select || o->min || o->critical)
		buf_puts(err, o->failed ? " and fit" : " fit");
	return err->err ? err->err : -ENOENT;
}

/* What is asked of one recording: its rows, or its part of the sums by program. */
static int look(struct cli_tree *t, const struct process_tree *tree, const struct recording *r, struct buf *err)
{
	struct profile *p = NULL;
	int rc = profile_new(&p, tree, &t->options);

	if (rc)
		return rc;
	t->processes += t->analysis.processes.processes;
	t->wanted += profile_wanted(p);
	if (t->flat)
		rc = programs_add(t->programs, p, recording_path(r));
	else
		rc = check(t, err);
	if (!rc && !t->flat)
		rc = show(t, p);
	profile_free(p);
	return rc;
}

static int look_at(struct cli_tree *t, const struct process_tree *tree, struct recording *r, struct buf *err)
{
	struct process_select *select = &t->analysis.processes;
	int rc;

	select->pids = t->analysis.select.pids;
	select->n_pids = t->analysis.select.n_pids;
	t->view.start = process_tree_start(tree);
	t->options.fold &= !t->flat && t->analysis.format == TABLE_TEXT;
	rc = process_select_begin(select, tree, r, err);
	if (!rc && !t->analysis.n_more)
		rc = analysis_no_process(select, err);
	if (process_select_any(select))
		t->options.select = select;
	if (rc)
		return rc;
	return t->leaks ? show_leaks(t, tree, r, err) : look(t, tree, r, err);
}

static int read_one(struct cli_tree *t, struct recording *r, struct buf *err)
{
	struct process_tree *tree = NULL;
	int rc = 0;

	t->leaks = t->wants_leaks ? leaks_new() : NULL;
	if (t->wants_leaks && !t->leaks)
		rc = -ENOMEM;
	if (!rc)
		rc = process_tree_new(&tree, r, t->leaks ? leaks_event : NULL, t->leaks);
	if (!rc)
		rc = look_at(t, tree, r, err);
	leaks_free(t->leaks);
	process_tree_free(tree);
	return rc;
}

static int run(void *ctx, struct recording *r[], struct buf *err)
{
	const struct recording_options options = {.by_files = true};
	struct cli_tree *t = ctx;
	struct recording *one;
	int rc;

	t->several = (struct several){.analysis = &t->analysis, .options = &options, .r = &r[0]};
	t->programs = t->flat ? programs_new() : NULL;
	if (t->flat && !t->programs)
		return -ENOMEM;
	while ((rc = several_next(&t->several, &one, err)) > 0) {
		rc = read_one(t, one, err);
		if (rc)
			break;
	}
	if (!rc && t->flat)
		rc = check(t, err);
	if (!rc && t->flat)
		rc = show(t, NULL);
	programs_free(t->programs);
	return rc;
}

static int settle(void *ctx, struct buf *err)
{
	struct cli_tree *t = ctx;
	int rc;

	if (!t->analysis.n_more || (t->flat && !t->wants_leaks))
		return 0;
	rc = buf_printf(err, "unexpected '%s': several recordings are summed up only (--flat)", t->analysis.more[0]);
	return rc ? rc : -EINVAL;
}

static int tree_main(char **argv, int at)
{
	static const struct analysis_command command = {.command = &cmd_tree,
	                                                .option = take_option,
	                                                .settle = settle,
	                                                .many = true,
	                                                .run = run,
	                                                .execs = true};
	struct cli_tree t = {.options = {.fold = true}};

	return analysis_main(&t.analysis, &command, &t, argv, at);
}

const struct command cmd_tree = {
	.name = "tree",
	.args = "[OPTION]... [DATA]...",
	.summary = "show the processes of a recorded run, and what they took",
	.about = "DATA is a directory that a run recorded into (exectrace.data), or one of its .xtr files.\n"
		 "With --flat, several ones count together.\n",
	.options = tree_table,
	.takes_file = true,
	.run = tree_main,
};
