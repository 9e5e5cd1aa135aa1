/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/cli/commands.h>

#include "diff_sets.h"
#include "diff_state.h"
#include <errno.h>
#include <exectrace/answer/calltree/calldiff.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/answer/output/table.h>
#include <exectrace/answer/view/call_tree.h>
#include <exectrace/base/cleanup.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define PERCENT 0.5 /* of all time: what differs by less is left out */
#define LIMIT 25    /* rows of a table */
#define FACTS 10    /* lines of each sort about what is on one side only */
enum {
	OPT_TASK = ANALYSIS_OPTIONS,
	OPT_IRQ,
	OPT_CLOCK,
	OPT_BY,
	OPT_PERCENT,
	OPT_LIMIT,
	OPT_STATE,
};

enum subject { SUBJECT_BOTH, SUBJECT_FUNCTION, SUBJECT_PATH };

/* In the order of enum subject. */
static const char *const subjects[] = {"both", "function", "path", NULL};

static const struct option_spec diff_table[] = {
	ANALYSIS_SELECT_ROWS,
	ANALYSIS_EVENT_ROW,
	GUEST_TASK_ROWS("Functions of a guest, imported logs"),
	ANALYSIS_CONTROL_ROWS,
	GUEST_CLOCK_ROW(GUEST_CLOCK_HELP),
	{.name = "state",
         .id = OPT_STATE,
         .group = "Programs",
         .help = "what a program began with in A and in B, of the first process whose command line has REGEX"},
	{.name = "by",
         .arg = "WHAT",
         .choices = subjects,
         .id = OPT_BY,
         .group = "Output",
         .help = "function, path (all calls that lead to it), both (the default)"},
	{.name = "percent-limit",
         .arg = "PERCENT",
         .id = OPT_PERCENT,
         .help = "leave out what differs by less of all time (0.5); 0: also what differs in the number of calls only"},
	{.name = "limit",
         .letter = 'n',
         .arg = "N",
         .id = OPT_LIMIT,
         .help = "the first N rows (25; --csv, --json: all)"},
	ANALYSIS_FORMAT_ROWS,
	ANALYSIS_SHOW_ROWS,
	{0},
};

struct diff_command {
	struct analysis analysis;
	struct guest_select guest;
	enum subject by;
	double percent;
	size_t limit;
	bool state;
	bool sets; /* A... -- B... */
};

static int take_option(void *ctx, const struct option_use *use, struct buf *err)
{
	struct diff_command *c = ctx;

	switch (use->spec->id) {
	case OPT_BY:
		c->by = (enum subject)analysis_choice(use);
		return 0;
	case OPT_PERCENT:
		return analysis_percent(use, &c->percent, err);
	case OPT_STATE:
		c->state = true;
		return 0;
	case OPT_LIMIT:
		return analysis_count(use, &c->limit, err);
	default:
		return guest_take(&c->guest, use, err);
	}
}

/* --- Tables --------------------------------------------------------------------------------------------------------
 */

static const struct table_column columns[] = {
	{"", "by", .text = true},
	{"Delta", NULL, .width = 8},
	{"Change", NULL, .spare = 2, .width = 8},
	{"Self A", "self_a", .time = true, .width = 8},
	{"Self B", "self_b", .time = true, .width = 8},
	{"", "total_a", .time = true},
	{"", "total_b", .time = true},
	{"Calls A", "calls_a", .width = 8},
	{"Calls B", "calls_b", .width = 8},
	{"Function", "name", .left = true, .text = true, .cut = true},
	{"Module", "module", .left = true, .text = true, .spare = 3},
	{0},
};

struct showing {
	const struct diff_command *command;
	struct call_tree *sides; /* CALLTREE_SIDES of them */
	struct page page;
	struct table table;
	uint64_t totals[CALLTREE_SIDES];
	struct buf facts; /* that need no clock */
};

static void put_name(struct showing *s, const struct calldiff_row *row, bool path)
{
	cleanup_buf struct buf text = BUF_INIT;

	if (!path) {
		table_text(&s->table, row->name);
		return;
	}
	if (!s->table.err)
		s->table.err =
			call_tree_path(&text, s->sides[CALLDIFF_A].tree, row->node, s->table.format == TABLE_TEXT);
	table_text(&s->table, text.data ? text.data : "");
}

/* From a to b, with a sign. */
static int put_delta(struct buf *out, const struct replay_clock *clock, uint64_t a, uint64_t b)
{
	int rc = buf_putc(out, b < a ? '-' : '+');

	return rc ? rc : ticks_print(out, clock, b < a ? a - b : b - a);
}

static void put_change(struct table *t, uint64_t a, uint64_t b)
{
	double change = a ? 100.0 * ((double)b - (double)a) / (double)a : 0.0;

	if (!a)
		table_text(t, b ? "new" : "-");
	else if (!b)
		table_text(t, "gone");
	else if (change >= 1000)
		table_printf(t, "x%.1f", (double)b / (double)a);
	else
		table_printf(t, "%+.1f%%", change);
}

static void put_row(struct showing *s, const struct calldiff_row *row, bool path)
{
	const struct calltree_weight *a = &row->sides[CALLDIFF_A], *b = &row->sides[CALLDIFF_B];
	struct table *t = &s->table;
	cleanup_buf struct buf delta = BUF_INIT;

	table_text(t, path ? "path" : "function");
	if (!t->err)
		t->err = put_delta(&delta, &t->clock, a->self, b->self);
	table_text(t, delta.data ? delta.data : "");
	put_change(t, a->self, b->self);
	table_ticks(t, a->self);
	table_ticks(t, b->self);
	table_ticks(t, a->total);
	table_ticks(t, b->total);
	table_number(t, a->count);
	table_number(t, b->count);
	put_name(s, row, path);
	table_text(t, row->module);
}

static int put_side(struct showing *s, unsigned side, const char *path)
{
	struct buf *out = &s->page.text;
	const struct replay_clock *clock = &s->sides[0].clock;
	uint64_t a = s->totals[CALLDIFF_A], b = s->totals[side];
	int rc = buf_printf(out, "# %c: ", 'A' + (int)side);

	if (!rc)
		rc = cell_text(out, path, strlen(path));
	if (!rc)
		rc = buf_puts(out, ": ");
	if (!rc)
		rc = ticks_print(out, clock, b);
	if (!rc)
		rc = buf_printf(out, "%s%s", *ticks_unit(clock) ? " " : "", ticks_unit(clock));
	if (!rc && side && a)
		rc = buf_printf(out, ", %+.2f%%", 100.0 * ((double)b - (double)a) / (double)a);
	return rc ? rc : buf_puts(out, s->sides[0].sampled ? " on processors\n" : " in calls\n");
}

/* One of the two tables. */
static int show_table(struct showing *s, struct calldiff *d, bool path)
{
	static const char *const what[] = {"function", "call path"};
	uint64_t larger = s->totals[0] > s->totals[1] ? s->totals[0] : s->totals[1];
	double share = s->command->percent / 100 * (double)larger;
	uint64_t least = (uint64_t)share + ((double)(uint64_t)share < share); /* rounded up */
	bool people = s->command->analysis.format == TABLE_TEXT;
	size_t n, shown, limit = s->command->limit ? s->command->limit : people ? LIMIT : SIZE_MAX;
	const struct calldiff_row *rows;
	int rc = path ? calldiff_paths(d, least, &rows, &n) : calldiff_functions(d, least, &rows, &n);

	if (rc)
		return rc;
	shown = n < limit ? n : limit;
	if (people)
		rc = buf_printf(&s->page.text,
		                "#\n# %zu %ss differ by %.3g%% of all time or more in their own time%s\n", n,
		                what[path], s->command->percent, shown < n ? "; the first of them:" : "");
	if (rc || (people && !n))
		return rc;
	if (people)
		table_begin(&s->table, &s->page, TABLE_TEXT, call_tree_columns(&s->sides[0], columns),
		            s->sides[0].clock);
	for (size_t i = 0; i < shown; i++)
		put_row(s, &rows[i], path);
	return people ? table_end(&s->table) : s->table.err;
}

static int show(struct showing *s, struct calldiff *d)
{
	const struct analysis *a = &s->command->analysis;
	bool people = s->command->analysis.format == TABLE_TEXT;
	int rc = people ? put_side(s, CALLDIFF_A, a->word ? a->word : DIFF_OLDER) : 0;

	if (!rc && people)
		rc = put_side(s, CALLDIFF_B, a->data);
	if (!rc && people && s->facts.len)
		rc = buf_puts(&s->page.text, s->facts.data);
	if (!people)
		table_begin(&s->table, &s->page, s->command->analysis.format, call_tree_columns(&s->sides[0], columns),
		            s->sides[0].clock);
	if (!rc && s->command->by != SUBJECT_PATH)
		rc = show_table(s, d, false);
	if (!rc && s->command->by != SUBJECT_FUNCTION)
		rc = show_table(s, d, true);
	if (!people) {
		int err = table_end(&s->table);

		rc = rc ? rc : err;
	}
	return rc;
}

/* One of the two recordings; they know nothing of each other and are read at the same time. */
struct reading {
	struct analysis analysis;
	struct call_tree *to;
	struct recording **recording;
	const char *path;
	struct buf err;
	int rc;
};

static void *read_side(void *user)
{
	struct reading *side = user;

	side->rc = call_tree_open(side->to, side->recording, side->path, &side->err);
	return NULL;
}

static int read_both(struct diff_command *c, struct call_tree *sides, struct recording *r[], struct buf *err)
{
	struct reading readings[CALLTREE_SIDES];
	pthread_t other;
	bool apart;
	int rc = 0;

	for (unsigned i = 0; i < CALLTREE_SIDES; i++) {
		readings[i] = (struct reading){.analysis = c->analysis, .to = &sides[i], .recording = &r[i]};
		readings[i].path = i == CALLDIFF_B    ? c->analysis.data
		                   : c->analysis.word ? c->analysis.word
		                                      : DIFF_OLDER;
		sides[i] = (struct call_tree){.analysis = &readings[i].analysis, .guest = &c->guest};
	}
	readings[CALLDIFF_B].analysis.progress.wanted = false; /* one of them tells how far it is */
	apart = pthread_create(&other, NULL, read_side, &readings[CALLDIFF_B]) == 0;
	read_side(&readings[CALLDIFF_A]);
	if (apart)
		pthread_join(other, NULL);
	else
		read_side(&readings[CALLDIFF_B]);
	for (unsigned i = 0; i < CALLTREE_SIDES; i++) {
		if (readings[i].rc && !rc) {
			rc = readings[i].rc;
			if (readings[i].err.len && buf_puts(err, readings[i].err.data))
				rc = -ENOMEM;
		}
		buf_release(&readings[i].err);
	}
	return rc;
}

static int run_sets(struct diff_command *c, struct recording *r[], struct buf *err)
{
	const enum table_format format = c->analysis.format;
	struct diff_sets sets = {.analysis = &c->analysis, .guest = &c->guest};

	sets.table = (struct sets_table){.functions = c->by != SUBJECT_PATH,
	                                 .paths = c->by != SUBJECT_FUNCTION,
	                                 .percent = c->percent,
	                                 .limit = c->limit || format != TABLE_TEXT ? c->limit : LIMIT,
	                                 .format = format};
	return diff_sets_run(&sets, r, err);
}

static int run_calls(struct diff_command *c, struct recording *r[], struct buf *err)
{
	struct call_tree sides[CALLTREE_SIDES] = {0};
	struct showing s = {.command = c, .sides = sides};
	const struct replay_clock *a = &sides[0].clock, *b = &sides[1].clock;
	struct calldiff *d = NULL;
	int rc = read_both(c, sides, r, err);

	if (!rc && (a->kind != b->kind || a->hz != b->hz) && !(a->hz && b->hz))
		rc = buf_puts(err, GUEST_CLOCKS_DIFFER) ? -ENOMEM : -EINVAL;
	if (!rc && ((sides[0].sampled && sides[1].called) || (sides[1].sampled && sides[0].called)))
		rc = buf_puts(err, "one is of samples, the other of calls") ? -ENOMEM : -EINVAL;
	if (!rc && c->analysis.format == TABLE_TEXT)
		rc = diff_sets_facts(&s.facts, &c->analysis, c->analysis.word ? c->analysis.word : DIFF_OLDER, FACTS);
	if (!rc) {
		d = calldiff_new(sides[0].tree, sides[1].tree);
		s.totals[0] = calltree_total(sides[0].tree, CALLDIFF_A);
		s.totals[1] = calltree_total(sides[0].tree, CALLDIFF_B);
		analysis_page(&c->analysis, &s.page);
		rc = page_end(&s.page, d ? show(&s, d) : -ENOMEM);
	}
	calldiff_free(d);
	buf_release(&s.facts);
	for (unsigned i = 0; i < CALLTREE_SIDES; i++)
		calltree_free(sides[i].tree);
	return rc;
}

static int run(void *ctx, struct recording *r[], struct buf *err)
{
	struct diff_command *c = ctx;

	if (c->state)
		return diff_state_run(&c->analysis, r, err);
	return c->sets ? run_sets(c, r, err) : run_calls(c, r, err);
}

/* [A [B]], with --state [GOOD [BAD [REGEX]]], or A... -- B... */
static int settle(void *ctx, struct buf *err)
{
	struct diff_command *c = ctx;
	struct analysis *a = &c->analysis;
	size_t n = a->n_more, most = c->state ? 3 : 2;
	int rc;

	c->sets = !c->state && a->split;
	if (c->sets && a->split == n) {
		rc = buf_puts(err, "no recording stands behind '--'");
		return rc ? rc : -EINVAL;
	}
	if (c->sets)
		return 0;
	if (n > most) {
		rc = buf_printf(
			err, "unexpected '%s'%s", a->more[most],
			c->state ? ""
				 : "; several recordings are A... -- B...; a regular expression goes with --state");
		return rc ? rc : -EINVAL;
	}
	a->word = n > 0 ? a->more[0] : NULL;
	a->data = n > 1 ? a->more[1] : a->data;
	a->third = n > 2 ? a->more[2] : NULL;
	return 0;
}

static int diff_main(char **argv, int at)
{
	static const struct analysis_command command = {.command = &cmd_diff,
	                                                .sets = true,
	                                                .option = take_option,
	                                                .settle = settle,
	                                                .run = run};
	struct diff_command c = {.percent = PERCENT};

	return analysis_main(&c.analysis, &command, &c, argv, at);
}

const struct command cmd_diff = {
	.name = "diff",
	.args = "[OPTION]... [A [B [REGEX]] | A... -- B...]",
	.summary = "show what differs between two recordings, or two sets of them",
	.about = "A and B are directories that runs recorded into (" DIFF_OLDER " and\n" RECORDING_DEFAULT
		 "), .xtr files, or what import has made. Of several ones on each side:\n"
		 "what differs beyond noise.\n",
	.takes_file = true,
	.options = diff_table,
	.run = diff_main,
};
