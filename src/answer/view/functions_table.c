/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "functions_columns.h"

#include <ctype.h>
#include <errno.h>
#include <exectrace/answer/calls/select.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/answer/view/odd_table.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>

#define GROWS 3         /* functions that a line says of that they do */
#define GROWS_PART 100u /* of all time: what took less is not said to */

struct shown {
	const struct functions_table *what;
	struct page *page;
	struct functions_view view;
	struct strv notes; /* of the recorders */
	struct report_functions *functions;
	struct report_functions
		*growing;            /* by the guest's own clock, where that of the host is shown; NULL: the same */
	struct functions_view grown; /* its rows */
	bool timed;                  /* ticks are the time of the host, between the moments at which it is known */
	bool endless;                /* a row has a call without an end */
	const struct functions_column *chosen[TABLE_COLUMNS]; /* ended by NULL */
	struct table_column columns[TABLE_COLUMNS];           /* the same; ended by one without a title */
};

bool functions_ticks(const struct replay *p, const char *text, uint64_t *ticks)
{
	uint64_t hz = replay_clock(p).hz, ns;
	char *end;

	errno = 0;
	*ticks = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || errno)
		return false;
	if (!hz)
		return !*end;
	if (!*end && *ticks <= UINT64_MAX / 1000)
		ns = *ticks * 1000;
	else if (!*end || duration_parse(text, &ns))
		return false;
	*ticks = hz == NS_PER_S ? ns : (uint64_t)((double)ns * (double)hz / (double)NS_PER_S);
	return true;
}

/* --- The table -----------------------------------------------------------------------------------------------------
 */

/* The columns that fit what is known, when none are asked for. */
static const char *letters_of(const struct shown *t)
{
	bool delays = functions_has_delays(t->functions), tasks = t->what->by >= FUNCTIONS_BY_TASK;

	if (t->what->columns)
		return t->what->columns;
	if (!t->timed)
		return FUNCTIONS_COLUMNS;
	if (tasks)
		return t->what->by == FUNCTIONS_BY_CPU ? FUNCTIONS_COLUMNS : delays ? "Fcdtwp" : "Fctwp";
	return delays ? FUNCTIONS_COLUMNS_TIMED : FUNCTIONS_COLUMNS_TIMED_ONLY;
}

static void choose_columns(struct shown *t)
{
	/* In the order of enum functions_by. */
	static const char *const names[] = {"Function", "Module", "Task", "Process", "CPU"};
	static const char *const keys[] = {"function", "module", "task", "process", "cpu"};
	size_t n = 0;

	const char *letters = letters_of(t);

	for (const char *c = letters; *c && n + 1 < TABLE_COLUMNS; c++, n++) {
		t->chosen[n] = functions_column(*c);
		t->columns[n] = t->chosen[n]->column;
		if (*c == 't' && strpbrk(letters, "Ew"))
			t->columns[n].title = "Ran";
		if (*c != 'F')
			continue;
		t->columns[n].title = names[t->view.by];
		t->columns[n].key = keys[t->view.by];
	}
}

static int put_rows(struct shown *t)
{
	cleanup_buf struct buf cell = BUF_INIT;
	struct table table;

	table_begin(&table, t->page, t->what->format, t->columns, t->view.clock);
	table.rule = true;
	table.gap = 1;
	for (size_t i = 0; i < t->view.n && !table.err; i++)
		for (size_t c = 0; t->chosen[c] && !table.err; c++) {
			cell.len = 0;
			table.err = t->chosen[c]->print(&t->view, i, &cell);
			table_text(&table, cell.len ? cell.data : "");
		}
	return table_end(&table);
}

static const char *unit_of(const struct shown *t)
{
	if (t->view.clock.hz)
		return "us";
	return t->view.clock.kind == DATA_CLOCK_BLOCKS ? "blocks" : "instructions";
}

/* A note of the recorder as comments; on a terminal broken at its commas. */
static int put_note(struct buf *out, const char *note, size_t width)
{
	size_t column = 0;
	int rc = 0;

	while (*note && !rc) {
		const char *comma = width ? strstr(note, ", ") : NULL;
		size_t n = comma ? (size_t)(comma - note) + 1 : strlen(note);

		if (column && column + 1 + n > width) {
			rc = buf_putc(out, '\n');
			column = 0;
		}
		if (!rc)
			rc = buf_puts(out, column ? " " : "# ");
		if (!rc)
			rc = cell_text(out, note, n);
		column += n + (column ? 1 : 2);
		note += n + (comma != NULL);
	}
	return rc ? rc : buf_putc(out, '\n');
}

/* Functions whose calls cost more and more, those that took most. */
static int put_growth(const struct shown *t)
{
	const struct functions_view *view = t->growing ? &t->grown : &t->view;
	const struct functions_row *most[GROWS];
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < view->n_all; i++) {
		const struct functions_row *row = view->all[i];
		size_t at = n;

		if (!row->growth.trend || row->inside || row->time < view->total / GROWS_PART)
			continue;
		while (at && most[at - 1]->time < row->time)
			at--;
		if (at == GROWS)
			continue;
		n += n < GROWS;
		memmove(&most[at + 1], &most[at], (n - at - 1) * sizeof(*most));
		most[at] = row;
	}
	for (size_t i = 0; i < n && !rc; i++) {
		const struct growth_named named = {most[i]->name, most[i]->module, most[i]->often, &most[i]->growth};

		buf_puts(&t->page->text, "# ");
		growth_line(&t->page->text, &view->clock, &named);
		rc = buf_putc(&t->page->text, '\n');
	}
	return rc;
}

static int put_head(const struct shown *t)
{
	struct buf *out = &t->page->text;
	uint64_t filtered = functions_filtered(t->functions);
	int rc = buf_printf(out, "# %llu calls", (unsigned long long)functions_calls(t->functions));

	if (!rc && filtered)
		rc = buf_printf(out, ", %llu filtered away", (unsigned long long)filtered);
	if (!rc)
		rc = buf_printf(out, ", %llu %s in all; times in %s%s\n",
		                (unsigned long long)functions_shown(&t->view, t->view.total), unit_of(t), unit_of(t),
		                t->timed ? ", ~ of the host, interpolated between its readings" : "");
	for (size_t i = 0; i < t->notes.n && !rc; i++) {
		rc = put_note(out, t->notes.items[i], (size_t)t->page->width);
	}
	if (!rc)
		rc = put_growth(t);
	if (!rc && t->endless)
		rc = buf_puts(out, "# ~: with calls whose end was not seen, which last as long as is recorded\n");
	return rc ? rc : buf_puts(out, "#\n");
}

/* Rows are sorted, not always by time: those that are shown, in rows of the caller. */
static size_t choose(const struct shown *t, uint64_t at_least, const struct functions_row **rows)
{
	size_t n = 0;

	for (size_t i = 0; i < t->view.n && (!t->what->limit || n < t->what->limit); i++)
		if (t->view.rows[i]->time >= at_least &&
		    100.0 * (double)t->view.rows[i]->time >= t->what->percent * (double)t->view.total)
			rows[n++] = t->view.rows[i];
	return n;
}

/* --- Names that are there twice ------------------------------------------------------------------------------------
 */

struct named {
	const char *name; /* equal ones are equal pointers */
	size_t row;
};

static int by_pointer(const void *a, const void *b)
{
	const struct named *one = a, *two = b;

	return one->name < two->name ? -1 : one->name > two->name;
}

static int find_twice(struct shown *t)
{
	struct named *names = reallocarray(NULL, t->view.n + 1, sizeof(*names));

	t->view.twice = calloc(t->view.n + 1, sizeof(*t->view.twice));
	if (!names || !t->view.twice || t->view.by != FUNCTIONS_BY_FUNCTION) {
		free(names);
		return names && t->view.twice ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < t->view.n; i++)
		names[i] = (struct named){t->view.rows[i]->name, i};
	qsort(names, t->view.n, sizeof(*names), by_pointer);
	for (size_t i = 0; i + 1 < t->view.n; i++)
		if (names[i].name == names[i + 1].name)
			t->view.twice[names[i].row] = t->view.twice[names[i + 1].row] = true;
	free(names);
	return 0;
}

static int show_rows(struct shown *t, uint64_t at_least)
{
	const struct functions_row **rows = reallocarray(NULL, t->view.n + 1, sizeof(*rows));
	int rc = rows ? 0 : -ENOMEM;

	if (!rc) {
		t->view.n = choose(t, at_least, rows);
		t->view.rows = rows;
		for (size_t i = 0; i < t->view.n; i++)
			t->endless |= t->view.rows[i]->endless != 0;
		rc = find_twice(t);
	}
	if (!rc && t->what->format == TABLE_TEXT)
		rc = put_head(t);
	if (!rc)
		rc = put_rows(t);
	free(t->view.twice);
	free(rows);
	return rc;
}

/* --- Counting ------------------------------------------------------------------------------------------------------
 */

static bool is_several(const struct functions_guests *g)
{
	size_t any;

	return (g->several && several_count(g->several) > 1) || guest_count(g->recording, &any) > 1;
}

/* A guest; the first one says what its ticks are. */
static int count_guest(struct shown *t, const struct functions_guests *g, struct replay *p, uint64_t *at_least,
                       struct buf *err)
{
	const struct functions_table *what = t->what;
	struct functions_options options = guest_options(g->select, g->analysis, p);
	const struct strv *notes = replay_notes(p);
	bool first = !t->functions;
	int rc;

	if (first) {
		t->view.clock = replay_clock(p);
		t->timed = t->view.clock.hz && !replay_file(p)->guest_hz;
	}
	options.by = what->by;
	options.several = is_several(g);
	options.callees = what->columns && strpbrk(what->columns, "mnu");
	options.distribution = (what->columns && strchr(what->columns, 'z')) || what->sort == FUNCTIONS_SORT_P99;
	options.delays = what->sort == FUNCTIONS_SORT_DELAY || (what->columns && strchr(what->columns, 'd')) ||
	                 (!what->columns && t->timed);
	options.growth = (what->format == TABLE_TEXT && !t->timed) ||
	                 (what->columns && strpbrk(what->columns, "gby")) || what->sort == FUNCTIONS_SORT_GROWTH;
	if (first)
		t->functions = functions_new(p, &options);
	if (!t->functions)
		return -ENOMEM;
	if (what->at_least && !functions_ticks(p, what->at_least, at_least))
		return buf_printf(err, "--at-least: '%s' is not a time%s", what->at_least,
		                  replay_clock(p).hz ? "" : " of a clock that counts instructions: a number is")
		               ? -ENOMEM
		               : -EINVAL;
	if (t->view.clock.hz != replay_clock(p).hz || t->view.clock.kind != replay_clock(p).kind)
		return buf_puts(err, GUEST_CLOCKS_DIFFER) ? -ENOMEM : -EINVAL;
	rc = first ? functions_count(t->functions) : functions_count_more(t->functions, p);
	for (size_t i = 0; i < notes->n && !rc; i++)
		rc = strv_push(&t->notes, notes->items[i]);
	return rc;
}

static int count_recording(struct shown *t, const struct functions_guests *g, uint64_t *at_least, struct buf *err)
{
	int rc = 0;

	for (size_t i = g->file; i < recording_files(g->recording) && !rc; i++) {
		struct replay *p = NULL;

		if (recording_file(g->recording, i)->guest_clock == DATA_CLOCK_NONE)
			continue;
		rc = guest_open(&p, g->select, g->analysis, g->recording, i, err);
		if (!rc)
			rc = count_guest(t, g, p, at_least, err);
		replay_free(p);
	}
	return rc;
}

static int count(struct shown *t, const struct functions_guests *g, uint64_t *at_least, struct buf *err)
{
	struct functions_guests more = *g;
	int rc = count_recording(t, g, at_least, err);

	while (!rc && g->several && (rc = several_next(g->several, &more.recording, err)) > 0) {
		cleanup_buf struct buf why = BUF_INIT;
		int guests = guest_files(g->analysis, more.recording, &more.file, &why);

		if (guests > 0)
			rc = count_recording(t, &more, at_least, err);
		else
			several_skip(g->several, why.len ? why.data : SEVERAL_CALLS);
		rc = guests > 0 ? rc : 0;
	}
	return rc;
}

/* Whether costs grow is seen by the guest's own clock. */
static int count_growth(struct shown *t, const struct functions_guests *g)
{
	struct functions_options options;
	struct replay *p = NULL;
	int rc;

	if (!t->timed || t->what->format != TABLE_TEXT || t->what->by != FUNCTIONS_BY_FUNCTION || is_several(g))
		return 0;
	rc = guest_open_own_clock(&p, g->select, g->analysis, g->recording, g->file);
	if (rc || !p)
		return rc;
	options = guest_options(g->select, g->analysis, p);
	options.growth = true;
	t->growing = functions_new(p, &options);
	rc = t->growing ? functions_count(t->growing) : -ENOMEM;
	if (!rc)
		rc = functions_rows(t->growing, FUNCTIONS_SORT_TIME, &t->grown.all, &t->grown.n_all);
	if (!rc)
		t->grown.total = functions_total(t->growing);
	t->grown.clock = replay_clock(p);
	replay_free(p);
	return rc;
}

int functions_table_show(const struct functions_table *table, const struct functions_guests *guests, struct page *page,
                         struct buf *err)
{
	struct shown t = {
		.what = table,
		.page = page,
		.view = {.by = table->by, .plain = table->format != TABLE_TEXT},
	};
	uint64_t at_least = 0;
	int rc = count(&t, guests, &at_least, err);

	if (!rc)
		rc = count_growth(&t, guests);
	if (!rc)
		choose_columns(&t);
	if (!rc)
		rc = functions_rows(t.functions, table->sort, &t.view.rows, &t.view.n);
	if (!rc) {
		t.view.total = functions_total(t.functions);
		t.view.all = t.view.rows;
		t.view.n_all = t.view.n;
		rc = show_rows(&t, at_least);
	}
	functions_free(t.functions);
	functions_free(t.growing);
	strv_release(&t.notes);
	return rc;
}
