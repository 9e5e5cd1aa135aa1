/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/sets/sets_table.h>

#include <errno.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <math.h>
#include <string.h>

struct showing {
	const struct sets_table *what;
	struct page *page;
	struct table table;
};

static const struct replay_clock ns = {DATA_CLOCK_MONOTONIC, NS_PER_S};

/* --- Cells -------------------------------------------------------------------------------------------------------- */

/* "0.02%": of findings like this one so many are chance alone. */
static void put_chance(struct table *t, double q)
{
	if (q >= 1)
		table_text(t, "");
	else if (q < 0.0001)
		table_text(t, "<0.01%");
	else
		table_printf(t, q < 0.0995 ? "%.2g%%" : "%.0f%%", 100 * q);
}

static void put_amount(struct table *t, const struct replay_clock *clock, double ticks)
{
	cleanup_buf struct buf text = BUF_INIT;

	if (!t->err)
		t->err = ticks_print(&text, clock, ticks > 0 ? (uint64_t)(ticks + 0.5) : 0);
	table_text(t, text.data ? text.data : "");
}

static void put_delta(struct showing *s, const struct replay_clock *clock, double a, double b)
{
	cleanup_buf struct buf text = BUF_INIT;
	int rc = buf_putc(&text, b < a ? '-' : '+');

	if (!rc)
		rc = ticks_print(&text, clock, (uint64_t)(fabs(b - a) + 0.5));
	if (rc && !s->table.err)
		s->table.err = rc;
	table_text(&s->table, text.data ? text.data : "");
}

static void put_change(struct table *t, double a, double b)
{
	if (a <= 0)
		table_text(t, b > 0 ? "new" : "-");
	else if (b <= 0)
		table_text(t, "gone");
	else if (b / a >= 11)
		table_printf(t, "x%.1f", b / a);
	else
		table_printf(t, "%+.1f%%", 100 * (b - a) / a);
}

static void put_count(struct table *t, double count)
{
	table_printf(t, count < 10 && count != floor(count) ? "%.1f" : "%.0f", count);
}

/* --- For people --------------------------------------------------------------------------------------------------- */

static const struct table_column fact_columns[] = {
	{"In A", NULL, .width = 8},
	{"In B", NULL, .width = 8},
	{"Times A", NULL, .spare = 2},
	{"Times B", NULL, .spare = 1},
	{"Chance", NULL, .width = 6},
	{"What", NULL, .left = true, .text = true, .cut = true},
	{0},
};

static const struct table_column time_columns[] = {
	{"Delta", NULL, .width = 8},
	{"Change", NULL, .width = 7},
	{"Chance", NULL, .width = 6},
	{"Median A", NULL, .width = 8},
	{"Spread A", NULL, .spare = 3, .width = 8},
	{"Median B", NULL, .width = 8},
	{"Spread B", NULL, .spare = 3, .width = 8},
	{"Calls A", NULL, .spare = 1, .width = 7},
	{"Calls B", NULL, .spare = 1, .width = 7},
	{"Chance", NULL, .spare = 1, .width = 6},
	{"What", NULL, .left = true, .text = true, .cut = true},
	{"Module", NULL, .left = true, .text = true, .spare = 4},
	{0},
};

/* The same without calls. */
static const struct table_column run_columns[] = {
	{"Delta", NULL, .width = 8},
	{"Change", NULL, .width = 7},
	{"Chance", NULL, .width = 6},
	{"Median A", NULL, .width = 8},
	{"Spread A", NULL, .spare = 3, .width = 8},
	{"Median B", NULL, .width = 8},
	{"Spread B", NULL, .spare = 3, .width = 8},
	{"What", NULL, .left = true, .text = true, .cut = true},
	{0},
};

static const struct table_column *columns_of(enum measure_kind kind)
{
	if (kind == MEASURE_RUN)
		return run_columns;
	return kind >= MEASURE_FUNCTION ? time_columns : fact_columns;
}

static void put_fact(struct showing *s, const struct measure *row)
{
	struct table *t = &s->table;
	cleanup_buf struct buf name = BUF_INIT;

	for (unsigned side = 0; side < SIDES; side++)
		table_printf(t, "%zu of %zu", row->sides[side].in, measures_recordings(s->what->measures, side));
	for (unsigned side = 0; side < SIDES; side++)
		put_count(t, row->sides[side].count.median);
	put_chance(t, row->count_q);
	if (buf_printf(&name, "%s%s%s", row->name, *row->more ? "  " : "", row->more))
		t->err = -ENOMEM;
	table_text(t, name.data ? name.data : "");
}

/* What a quantity is on both sides. */
static void put_sides(struct showing *s, const struct replay_clock *clock, const struct measure *row)
{
	const struct sample_spread *a = &row->sides[SIDE_A].amount, *b = &row->sides[SIDE_B].amount;
	struct table *t = &s->table;

	put_delta(s, clock, a->median, b->median);
	put_change(t, a->median, b->median);
	put_chance(t, row->amount_q);
	put_amount(t, clock, a->median);
	put_amount(t, clock, a->high - a->low);
	put_amount(t, clock, b->median);
	put_amount(t, clock, b->high - b->low);
}

static void put_row(struct showing *s, const struct measure *row)
{
	struct table *t = &s->table;

	put_sides(s, &s->what->clock, row);
	put_count(t, row->sides[SIDE_A].count.median);
	put_count(t, row->sides[SIDE_B].count.median);
	put_chance(t, row->count_q);
	table_text(t, row->name);
	table_text(t, row->more);
}

/* The run as a whole: times, and numbers. */
static void put_run(struct showing *s, const struct measure *row)
{
	static const struct replay_clock numbers = {DATA_CLOCK_INSTRUCTIONS, 0};

	put_sides(s, strcmp(row->more, "ns") == 0 ? &ns : &numbers, row);
	table_text(&s->table, row->name);
}

#define ONE_SIDE ", or in all of one side and in none of the other"
#define ALONE ", and none in all of one side and in none of the other"

struct section {
	enum measure_kind kind;
	const char *title;
	bool all;                     /* rows that are not beyond noise, too */
	const char *one_side, *alone; /* what else is shown; that there is none */
};

static const struct section sections[] = {
	{MEASURE_OUTCOME, "How the runs ended", true, ONE_SIDE, ALONE},
	{MEASURE_END, "Processes that failed", false, ONE_SIDE, ALONE},
	{MEASURE_COMMAND, "Commands", false, ONE_SIDE, ALONE},
	{MEASURE_ERROR, "Calls that failed", false, ONE_SIDE, ALONE},
	{MEASURE_RUN, "The runs", true, "", ""},
	{MEASURE_FUNCTION, "Functions and calls, by their own time", true, "", ""},
	{MEASURE_PATH, "Paths of calls, by own time", false, "", ""},
};

static size_t count_beyond(const struct measure *rows, size_t n)
{
	size_t beyond = 0;

	while (beyond < n && (rows[beyond].beyond || rows[beyond].only))
		beyond++;
	return beyond;
}

static int get_rows(const struct sets_table *what, enum measure_kind kind, const struct measure **rows, size_t *n)
{
	return measures_rows(what->measures, kind, kind >= MEASURE_FUNCTION ? what->percent / 100 : 0, rows, n);
}

/* A line about what follows. */
static int put_title(struct showing *s, const struct section *section, size_t beyond, size_t n)
{
	struct buf *out = &s->page->text;
	int rc = buf_printf(out, "#\n# %s: ", section->title);

	if (rc)
		return rc;
	if (!beyond)
		return buf_printf(out, "nothing beyond noise%s\n", section->alone);
	return buf_printf(out, "%zu of %zu beyond noise%s\n", beyond, n, section->one_side);
}

static int show_section(struct showing *s, const struct section *section)
{
	const struct sets_table *what = s->what;
	const struct measure *rows;
	size_t n, beyond, shown;
	int rc = get_rows(what, section->kind, &rows, &n);

	if (rc || !n)
		return rc;
	beyond = count_beyond(rows, n);
	rc = put_title(s, section, beyond, n);
	shown = section->all ? n : beyond;
	shown = what->limit && what->limit < shown ? what->limit : shown;
	if (rc || !shown)
		return rc;
	table_begin(&s->table, s->page, TABLE_TEXT, columns_of(section->kind), ns);
	for (size_t i = 0; i < shown; i++) {
		if (section->kind == MEASURE_RUN)
			put_run(s, &rows[i]);
		else if (section->kind >= MEASURE_FUNCTION)
			put_row(s, &rows[i]);
		else
			put_fact(s, &rows[i]);
	}
	rc = table_end(&s->table);
	if (!rc && beyond > shown)
		rc = buf_printf(&s->page->text, "# ... and %zu more\n", beyond - shown);
	return rc;
}

static int put_side(struct showing *s, unsigned side)
{
	struct buf *out = &s->page->text;
	size_t n = measures_recordings(s->what->measures, side);
	int rc = buf_printf(out, "# %c: %zu recording%s: ", 'A' + (int)side, n, n == 1 ? "" : "s");

	if (!rc)
		rc = cell_text(out, s->what->sides[side], strlen(s->what->sides[side]));
	if (!rc && n > 1)
		rc = buf_puts(out, ", ...");
	return rc ? rc : buf_putc(out, '\n');
}

/* How sure anything can be. */
static int put_limits(struct showing *s)
{
	size_t a = measures_recordings(s->what->measures, SIDE_A), b = measures_recordings(s->what->measures, SIDE_B);
	double least = two_samples_least(a, b);

	if (least > MEASURES_CHANCE)
		return buf_printf(
			&s->page->text,
			"# too few to tell a difference from noise: chance alone makes them differ as much as "
			"they can in %.0f%% of all cases; 4 and 4 are enough\n",
			100 * least);
	return buf_printf(&s->page->text,
	                  "# beyond noise: of what is found, %.0f%% or less is chance alone; Chance is that part\n",
	                  100 * MEASURES_CHANCE);
}

static bool is_wanted(const struct sets_table *t, enum measure_kind kind)
{
	return kind == MEASURE_FUNCTION ? t->functions : kind != MEASURE_PATH || t->paths;
}

static int show_people(struct showing *s)
{
	int rc = put_side(s, SIDE_A);

	if (!rc)
		rc = put_side(s, SIDE_B);
	if (!rc)
		rc = put_limits(s);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && !rc; i++)
		if (is_wanted(s->what, sections[i].kind))
			rc = show_section(s, &sections[i]);
	return rc;
}

/* --- For programs ------------------------------------------------------------------------------------------------- */

static const struct table_column plain_columns[] = {
	{"", "by", .text = true},
	{"", "name", .text = true},
	{"", "more", .text = true},
	{"", "beyond_noise", .text = true},
	{"", "one_side", .text = true},
	{"", "q", .text = false},
	{"", "calls_q", .text = false},
	{"", "in_a", .text = false},
	{"", "in_b", .text = false},
	{"", "median_a", .text = false},
	{"", "low_a", .text = false},
	{"", "high_a", .text = false},
	{"", "median_b", .text = false},
	{"", "low_b", .text = false},
	{"", "high_b", .text = false},
	{"", "calls_a", .text = false},
	{"", "calls_low_a", .text = false},
	{"", "calls_high_a", .text = false},
	{"", "calls_b", .text = false},
	{"", "calls_low_b", .text = false},
	{"", "calls_high_b", .text = false},
	{0},
};

static const char *const kinds[MEASURE_KINDS] = {
	[MEASURE_RUN] = "run",         [MEASURE_OUTCOME] = "outcome", [MEASURE_END] = "end",
	[MEASURE_COMMAND] = "command", [MEASURE_ERROR] = "error",     [MEASURE_FUNCTION] = "function",
	[MEASURE_PATH] = "path",
};

static void plain_row(struct table *t, const struct measure *row)
{
	table_text(t, kinds[row->kind]);
	table_text(t, row->name);
	table_text(t, row->more);
	table_text(t, row->beyond ? "yes" : "no");
	table_text(t, row->only ? "yes" : "no");
	table_printf(t, "%.6g", row->amount_q);
	table_printf(t, "%.6g", row->count_q);
	for (unsigned side = 0; side < SIDES; side++)
		table_number(t, row->sides[side].in);
	for (unsigned i = 0; i < 2 * SIDES; i++) {
		const struct measured *side = &row->sides[i % SIDES];
		const struct sample_spread *spread = i < SIDES ? &side->amount : &side->count;

		table_printf(t, "%.17g", spread->median);
		table_printf(t, "%.17g", spread->low);
		table_printf(t, "%.17g", spread->high);
	}
}

static int show_plain(struct showing *s)
{
	struct table *t = &s->table;
	int rc = 0, end;

	table_begin(t, s->page, s->what->format, plain_columns, ns);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && !rc; i++) {
		enum measure_kind kind = sections[i].kind;
		const struct measure *rows = NULL;
		size_t n = 0;

		if (is_wanted(s->what, kind))
			rc = get_rows(s->what, kind, &rows, &n);
		if (s->what->limit && s->what->limit < n)
			n = s->what->limit;
		for (size_t k = 0; k < n && !rc; k++)
			plain_row(t, &rows[k]);
	}
	end = table_end(t);
	return rc ? rc : end;
}

int sets_table_show(const struct sets_table *t, struct page *page)
{
	struct showing s = {.what = t, .page = page};

	return t->format == TABLE_TEXT ? show_people(&s) : show_plain(&s);
}
