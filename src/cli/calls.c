/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/commands.h>

#include <errno.h>
#include <exectrace/answer/view/call_trace.h>
#include <exectrace/answer/view/guest.h>
#include <exectrace/answer/view/moment_table.h>
#include <exectrace/answer/view/odd_table.h>

enum {
	OPT_FUNCTION = ANALYSIS_OPTIONS,
	OPT_TASK,
	OPT_IRQ,
	OPT_MAX,
	OPT_CLOCK,
	OPT_FIELDS,
	OPT_LONG,
	OPT_INTERLACE,
	OPT_DEPTH,
	OPT_NAME,
	OPT_LIMIT,
	OPT_ODD,
	OPT_AT,
};

static const struct option_spec calls_table[] = {
	{.name = "function",
         .arg = "FUNCTION",
         .id = OPT_FUNCTION,
         .group = "Calls",
         .help = "only this function and what it calls; may be a pattern"},
	{.name = "time",
         .arg = "A,B",
         .id = ANALYSIS_TIME,
         .help = "only calls that ran between A and B, in seconds since the start"},
	{.name = "min",
         .arg = "DURATION",
         .id = ANALYSIS_MIN,
         .help = "only calls that took at least this long: 2ms, 50us"},
	{.name = "pid", .letter = 'p', .arg = "PID[,PID...]", .id = ANALYSIS_PID, .help = "only these processes"},
	GUEST_SELECT_ROWS(NULL),
	ANALYSIS_CONTROL_ROWS,
	{.name = "odd",
         .arg = "FUNCTION",
         .flags = OPTION_OPTIONAL,
         .id = OPT_ODD,
         .group = "Calls that differ",
         .help = "instead: few among many calls of a function that call others than those do; with FUNCTION, which may "
                 "be a pattern, how many of its calls call what"},
	{.name = "at",
         .arg = "TIME",
         .id = OPT_AT,
         .group = "One moment",
         .help = "instead: the stacks of what ran then, in seconds since the start; with --task or --pid those of "
                 "these tasks, also while they waited"},
	{.name = "fields",
         .letter = 'f',
         .arg = "COLUMNS",
         .id = OPT_FIELDS,
         .group = "Output",
         .help = "columns before the trace, each a letter: e entry, t duration, r that it ran of it, w that it "
                 "waited, l local time, p process id, n task, c CPU (none)"},
	{.name = "long", .letter = 'l', .id = OPT_LONG, .help = "the same as -f " CALL_TRACE_LONG},
	{.name = "interlace",
         .letter = 'i',
         .id = OPT_INTERLACE,
         .help = "a character of its own for each tree of calls, and a line where one interrupts another"},
	{.name = "depth", .letter = 'd', .arg = "N", .id = OPT_DEPTH, .help = "only N levels of each tree"},
	{.name = "name-length", .letter = 'm', .arg = "N", .id = OPT_NAME, .help = "cut names after N characters"},
	{.name = "limit", .letter = 'n', .arg = "N", .id = OPT_LIMIT, .help = "only the first N calls"},
	ANALYSIS_FORMAT_ROWS,
	ANALYSIS_SHOW_ROWS,
	{0},
};

struct cli_calls {
	struct analysis analysis;
	struct guest_select guest;
	struct call_trace trace;
	size_t depth;
	bool odd;
	const char *odd_function; /* NULL: all */
	const char *at;           /* NULL: no moment */
};

static int take_fields(struct cli_calls *s, const struct option_use *use, struct buf *err)
{
	int rc;

	s->trace.columns = use->value;
	if (!call_trace_bad_column(use->value))
		return 0;
	rc = buf_printf(err, "--fields: '%s' is not a list of columns, each once (argument %d)", use->value, use->at);
	return rc ? rc : -EINVAL;
}

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct cli_calls *s = ctx;

	switch (use->spec->id) {
	case OPT_FUNCTION:
		s->guest.under = use->value;
		return 0;
	case OPT_ODD:
		s->odd = true;
		s->odd_function = use->value;
		return 0;
	case OPT_AT:
		s->at = use->value;
		return 0;
	case OPT_FIELDS:
		return take_fields(s, use, err);
	case OPT_LONG:
		s->trace.columns = CALL_TRACE_LONG;
		return 0;
	case OPT_INTERLACE:
		s->trace.interlace = true;
		return 0;
	case OPT_DEPTH:
		return analysis_count(use, &s->depth, err);
	case OPT_NAME:
		return analysis_count(use, &s->trace.name, err);
	case OPT_LIMIT:
		return analysis_count(use, &s->trace.limit, err);
	default:
		return guest_take(&s->guest, use, err);
	}
}

static int show_calls(struct cli_calls *s, struct replay *p, struct page *page, struct buf *err)
{
	struct calltrace_options options = {.depth = s->depth < UINT32_MAX ? (uint32_t)s->depth : 0};
	const struct odd_table odd = {s->odd_function, s->trace.limit, s->trace.format};

	if (s->odd)
		return odd_table_show(&odd, p, page);
	options.which = guest_options(&s->guest, &s->analysis, p);
	if (s->at) {
		const struct moment_table moment = {s->at,
		                                    {options.which.task, options.which.pids, options.which.n_pids},
		                                    s->trace.format};

		return moment_table_show(&moment, p, page, err);
	}
	return call_trace_show(&s->trace, p, &options, page);
}

/* Whether costs grow is seen by the guest's own clock. */
static int show_growth(struct cli_calls *s, struct recording *r, size_t file, struct page *page)
{
	struct replay *p = NULL;
	int rc;

	if (s->odd || s->at || !s->guest.under || s->trace.format != TABLE_TEXT)
		return 0;
	rc = guest_open_own_clock(&p, &s->guest, &s->analysis, r, file);
	if (!rc && p)
		rc = odd_table_growth(p, s->guest.under, page);
	replay_free(p);
	return rc;
}

/* Calls are told from the others, and stacks are whole: all of them are needed. */
static int check(const struct cli_calls *s, struct buf *err)
{
	const struct guest_select *g = &s->guest;
	const struct call_select *select = &s->analysis.select;
	bool some = g->under || g->irq != FUNCTIONS_IRQ_TOO || g->max || select->min;
	const char *why = NULL;

	if (s->odd && s->at)
		why = "--odd and --at do not go together";
	else if (s->odd && (some || g->task || select->n_pids))
		why = "--odd goes with none of --function, --task, --pid, --irq, --min, --max";
	else if (s->at && (some || select->timed))
		why = "--at goes with none of --function, --time, --irq, --min, --max";
	if (!why)
		return 0;
	return buf_puts(err, why) ? -ENOMEM : -EINVAL;
}

static int show(struct cli_calls *s, struct recording *r, struct buf *err)
{
	struct replay *p = NULL;
	struct page page;
	size_t file;
	int rc;

	if (!guest_count(r, &file)) {
		rc = buf_puts(err, recording_files(r) ? "these are system calls: `exectrace syscalls` lists them"
		                                      : "there are no calls of a guest");
		return rc ? rc : -EINVAL;
	}
	s->analysis.select.event = SELECT_FUNCTIONS;
	s->trace.format = s->analysis.format;
	rc = check(s, err);
	rc = rc ? rc : guest_file(&s->analysis, r, &file, err);
	rc = rc < 0 ? rc : guest_open(&p, &s->guest, &s->analysis, r, file, err);
	if (rc)
		return rc;
	analysis_page(&s->analysis, &page);
	rc = show_calls(s, p, &page, err);
	if (!rc)
		rc = show_growth(s, r, file, &page);
	rc = page_end(&page, rc);
	replay_free(p);
	return rc;
}

static int run(void *ctx, struct recording *r[], struct buf *err)
{
	struct cli_calls *s = ctx;
	int rc = analysis_open(&s->analysis, &r[0], s->analysis.data, NULL, err);

	return rc ? rc : show(s, r[0], err);
}

static int calls_main(char **argv, int at)
{
	static const struct analysis_command command = {.command = &cmd_calls, .option = take_option, .run = run};
	struct cli_calls s = {.guest = {.prefers_host = true}, .trace = {.columns = ""}};

	return analysis_main(&s.analysis, &command, &s, argv, at);
}

const struct command cmd_calls = {
	.name = "calls",
	.args = "[OPTION]... [DATA]",
	.summary = "show the calls of a guest's functions in the order of their time",
	.about = "DATA is a directory that a run recorded into (exectrace.data), one of its\n"
		 ".xtr files, or what import has made.\n",
	.takes_file = true,
	.options = calls_table,
	.run = calls_main,
};
