/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/commands.h>

#include <errno.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/answer/output/table.h>
#include <exectrace/answer/timeline/timeline.h>
#include <exectrace/answer/view/analysis.h>
#include <exectrace/answer/view/guest.h>
#include <exectrace/answer/view/messages_table.h>
#include <exectrace/answer/view/sample_columns.h>
#include <exectrace/base/clock.h>
#include <stdio.h>
#include <string.h>

#define LINES 100

enum {
	OPT_TASK = ANALYSIS_OPTIONS,
	OPT_IRQ,
	OPT_CLOCK,
	OPT_ALL,
	OPT_LINES,
	OPT_MESSAGES,
};

static const struct option_spec timeline_table[] = {
	ANALYSIS_SELECT_ROWS,
	ANALYSIS_EVENT_ROW,
	GUEST_TASK_ROWS("Functions of a guest, imported logs"),
	ANALYSIS_CONTROL_ROWS,
	GUEST_CLOCK_ROW(GUEST_CLOCK_HELP),
	{.name = "all", .letter = 'a', .id = OPT_ALL, .group = "Output", .help = "a line for each first call"},
	{.name = "limit",
         .letter = 'n',
         .arg = "N",
         .id = OPT_LINES,
         .help = "about N lines, those that tell most (100)"},
	{.name = "lines", .alias = "limit"},
	{.name = "messages",
         .id = OPT_MESSAGES,
         .help = "in place of that: what the guest's kernel logged, as dmesg(1) shows it"},
	ANALYSIS_FORMAT_ROWS,
	ANALYSIS_SHOW_ROWS,
	{0},
};

struct timeline_command {
	struct analysis analysis;
	struct guest_select guest;
	bool all, messages;
	size_t lines;
	bool waits; /* it is known what was waited */
};

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct timeline_command *c = ctx;

	switch (use->spec->id) {
	case OPT_ALL:
		c->all = true;
		return 0;
	case OPT_MESSAGES:
		c->messages = true;
		return 0;
	case OPT_LINES:
		return analysis_count(use, &c->lines, err);
	default:
		return guest_take(&c->guest, use, err);
	}
}

/* --- The table -----------------------------------------------------------------------------------------------------
 */

/* In the order of enum timeline_kind. */
static const char *const kinds[TIMELINE_KINDS] = {"phase", "program", "module", "initcall", "function", "call", "rest"};

#define BEFORE_SHARE                                                                                     \
	{"Start", "start", .time = true, .width = 10}, {"Elapsed", "elapsed", .time = true, .width = 8}, \
	{                                                                                                \
		"Ran", "ran", .time = true, .width = 8                                                   \
	}

#define FROM_SHARE                                                                                                \
	{"Share", NULL, .spare = 2, .width = 6}, {"Calls", "calls", .spare = 1, .width = 6},                      \
		{"Task", NULL, .left = true, .text = true, .cut = true, .width = 10}, {"", "pid", .text = false}, \
		{"", "task", .text = true}, {"", "ended", .text = false}, {"", "level", .text = false},           \
		{"", "kind", .text = true}, {"What", "name", .left = true, .text = true, .cut = true},            \
	{                                                                                                         \
		"", "module", .text = true                                                                        \
	}

#define WAITS                                              \
	{"Waited", "waited", .time = true, .width = 8},    \
	{                                                  \
		"Delay", "delay", .time = true, .width = 8 \
	}

static const struct table_column columns[] = {BEFORE_SHARE, FROM_SHARE, {0}};

/* Of a guest, where it is known who waited for whom: for people, for machines. */
static const struct table_column wait_columns[] = {BEFORE_SHARE, WAITS, FROM_SHARE, {0}};
static const struct table_column plain_wait_columns[] = {BEFORE_SHARE, FROM_SHARE, WAITS, {0}};

/* A time since the start: all with the same unit, so that leaps can be seen. */
static void put_start(struct table *t, uint64_t ticks)
{
	if (t->format != TABLE_TEXT)
		table_number(t, ticks_plain(&t->clock, ticks));
	else if (t->clock.hz)
		table_printf(t, "%.6f", (double)ticks_plain(&t->clock, ticks) / (double)NS_PER_S);
	else
		table_printf(t, "%.3fM", (double)ticks / 1e6);
}

static void put_what(struct table *t, const struct timeline_item *item, bool phases)
{
	static const char *const before[TIMELINE_KINDS] = {"", "program ", "module ", "initcall "};
	char text[400];
	int indent = item->kind == TIMELINE_PHASE ? 0 : 2 * (int)(item->level < 20 ? item->level : 20) + 2 * phases;

	if (t->format != TABLE_TEXT) {
		table_text(t, item->kind == TIMELINE_REST ? "" : item->name);
		return;
	}
	if (item->kind == TIMELINE_REST)
		snprintf(text, sizeof(text), "%*s... %llu more", indent, "", (unsigned long long)item->count);
	else if (item->kind == TIMELINE_MODULE)
		snprintf(text, sizeof(text), "%*smodule %s: %s", indent, "", item->module, item->name);
	else if (item->kind == TIMELINE_PHASE)
		snprintf(text, sizeof(text), "== %s ==", item->name);
	else
		snprintf(text, sizeof(text), "%*s%s%s%s", indent, "", before[item->kind] ? before[item->kind] : "",
		         item->name, item->kind == TIMELINE_CALL ? "()" : "");
	table_text(t, text);
}

static void put_task(struct table *t, const struct timeline_item *item)
{
	if (item->kind == TIMELINE_PHASE || item->kind == TIMELINE_REST)
		table_text(t, "");
	else if (t->format == TABLE_TEXT && *item->task)
		table_printf(t, "%s-%u", item->task, item->pid);
	else
		table_printf(t, item->pid ? "%u" : "-", item->pid);
	table_number(t, item->pid);
	table_text(t, item->task);
}

/* What it delayed, where that is known: waiting is as visible as computing. */
static double share_of(const struct timeline_item *item, uint64_t length, bool waits)
{
	uint64_t part = waits && item->kind != TIMELINE_PHASE ? item->delay : item->ran;

	return length ? 100.0 * (double)part / (double)length : 0.0;
}

static void put_waits(struct table *t, const struct timeline_item *item)
{
	if (item->kind == TIMELINE_PHASE && t->format == TABLE_TEXT) {
		table_text(t, "");
		table_text(t, "");
		return;
	}
	table_ticks(t, item->waited);
	table_ticks(t, item->delay);
}

static void put_item(struct table *t, const struct timeline *timeline, const struct timeline_item *item, bool phases,
                     bool waits)
{
	uint64_t length = timeline_length(timeline), start = timeline_start(timeline);

	if (item->kind == TIMELINE_REST) {
		for (unsigned i = 0; i < (waits ? 6 : 4); i++)
			table_text(t, "");
	} else {
		put_start(t, item->start > start ? item->start - start : 0);
		table_ticks(t, item->elapsed);
		table_ticks(t, item->ran);
		if (waits && t->format == TABLE_TEXT)
			put_waits(t, item);
		table_printf(t, "%.2f%%", share_of(item, length, waits));
	}
	if (item->kind == TIMELINE_FUNCTION || item->kind == TIMELINE_CALL || t->format != TABLE_TEXT)
		table_number(t, item->count);
	else
		table_text(t, "");
	put_task(t, item);
	table_text(t, item->ended ? "true" : "false");
	table_number(t, item->level);
	table_text(t, kinds[item->kind]);
	put_what(t, item, phases);
	table_text(t, item->module);
	if (waits && t->format != TABLE_TEXT)
		put_waits(t, item);
}

static int put_head(const struct timeline_command *c, const struct timeline *timeline, const struct replay_clock *clock,
                    struct page *page)
{
	struct buf *out = &page->text;
	int rc = buf_puts(out, "# ");

	if (!rc)
		rc = ticks_print(out, clock, timeline_length(timeline));
	if (!rc)
		rc = buf_printf(out, "%s%s, %zu first calls and programs%s\n#\n", clock->hz ? "" : " ",
		                ticks_unit(clock), timeline_items(timeline),
		                c->all ? "" : "; --limit=N or --all: more");
	return rc;
}

static int show(struct timeline_command *c, struct timeline *timeline, const struct replay_clock *clock)
{
	const struct timeline_item *const *items;
	struct page page;
	struct table t;
	struct table_column own[TABLE_COLUMNS];
	const struct table_column *shown = columns;
	bool phases = false, samples = timeline_has(timeline, SELECT_SAMPLES);
	size_t n;
	int rc = timeline_choose(timeline, c->all ? 0 : c->lines, &items, &n);

	analysis_page(&c->analysis, &page);
	if (!rc && c->analysis.format == TABLE_TEXT)
		rc = put_head(c, timeline, clock, &page);
	if (rc)
		return page_end(&page, rc);
	sample_columns(columns, own);
	if (samples)
		shown = own;
	else if (c->waits)
		shown = c->analysis.format == TABLE_TEXT ? wait_columns : plain_wait_columns;
	table_begin(&t, &page, c->analysis.format, shown, *clock);
	for (size_t i = 0; i < n; i++) {
		phases |= items[i]->kind == TIMELINE_PHASE;
		if (items[i]->kind != TIMELINE_REST || c->analysis.format == TABLE_TEXT)
			put_item(&t, timeline, items[i], phases, c->waits);
	}
	return page_end(&page, table_end(&t));
}

/* --- Both kinds of recordings --------------------------------------------------------------------------------------
 */

static int show_messages(struct timeline_command *c, struct replay *p, const struct functions_options *which)
{
	struct page page;

	analysis_page(&c->analysis, &page);
	return page_end(&page, messages_table_show(p, which, c->analysis.format, &page));
}

static int run_guest(struct timeline_command *c, struct recording *r, size_t file, struct buf *err)
{
	struct functions_options which;
	struct timeline *timeline = NULL;
	struct replay_clock clock;
	struct replay *p = NULL;
	int rc = guest_check(&c->analysis, false, err);

	if (!rc)
		rc = guest_open(&p, &c->guest, &c->analysis, r, file, err);
	if (rc)
		return rc;
	which = guest_options(&c->guest, &c->analysis, p);
	if (c->messages) {
		rc = show_messages(c, p, &which);
		replay_free(p);
		return rc;
	}
	clock = replay_clock(p);
	rc = timeline_guest(&timeline, p, &which);
	if (!rc && clock.hz)
		rc = timeline_guest_waits(timeline, p, &c->waits);
	if (!rc)
		rc = show(c, timeline, &clock);
	timeline_free(timeline);
	replay_free(p);
	return rc;
}

static int run_host(struct timeline_command *c, struct recording *r, struct buf *err)
{
	static const struct replay_clock clock = {DATA_CLOCK_MONOTONIC, NS_PER_S};
	struct timeline *timeline = NULL;
	int rc;

	if (c->guest.any || c->messages)
		return buf_puts(err, GUEST_NOT_CALLS) ? -ENOMEM : -EINVAL;
	rc = timeline_host(&timeline, r, &c->analysis.select);
	if (!rc && timeline_has(timeline, SELECT_CALLS) && timeline_has(timeline, SELECT_SAMPLES))
		rc = buf_puts(err, ANALYSIS_BOTH) ? -ENOMEM : -EINVAL;
	if (!rc)
		rc = show(c, timeline, &clock);
	timeline_free(timeline);
	return rc;
}

static int run(void *ctx, struct recording *r[], struct buf *err)
{
	const struct recording_options options = {.names = true};
	struct timeline_command *c = ctx;
	size_t file;
	int rc = analysis_open(&c->analysis, &r[0], c->analysis.data, &options, err);

	if (!rc)
		rc = guest_file(&c->analysis, r[0], &file, err);
	if (rc < 0)
		return rc;
	return rc ? run_guest(c, r[0], file, err) : run_host(c, r[0], err);
}

static int timeline_main(char **argv, int at)
{
	static const struct analysis_command command = {.command = &cmd_timeline, .option = take_option, .run = run};
	struct timeline_command c = {.guest = {.prefers_host = true}, .lines = LINES};

	return analysis_main(&c.analysis, &command, &c, argv, at);
}

const struct command cmd_timeline = {
	.name = "timeline",
	.args = "[OPTION]... [DATA]",
	.summary = "show what happened first: phases, programs, first calls",
	.about = "DATA is a directory that a run recorded into (exectrace.data), one of its\n"
		 ".xtr files, or what import has made.\n",
	.takes_file = true,
	.options = timeline_table,
	.run = timeline_main,
};
