/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "functions_columns.h"

#include <ctype.h>
#include <errno.h>
#include <exectrace/analyze/select.h>
#include <exectrace/base/clock.h>
#include <exectrace/cmd/cell.h>
#include <stdlib.h>
#include <string.h>

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define NAME_WIDTH 60 /* columns of a name at most */

struct table {
	const struct functions_table *what;
	struct page *page;
	struct functions_view view;
	bool endless; /* a row has a call without an end */
	const struct column *shown[32];
	int width[32];
	size_t columns;
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

/* How many columns of a terminal a text takes. */
static int columns_of(const char *text, size_t n)
{
	int width = 0;

	for (size_t i = 0; i < n; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

/* Makes columns wide enough for what is in them. */
static int measure(struct table *t)
{
	struct buf cell = BUF_INIT;
	int rc = 0;

	for (size_t c = 0; c < t->columns && !t->view.csv; c++) {
		t->width[c] = t->shown[c]->width;
		for (size_t i = 0; i < t->view.n && !rc; i++) {
			int width;

			cell.len = 0;
			rc = t->shown[c]->print(&t->view, i, &cell);
			width = columns_of(cell.data ? cell.data : "", cell.len);
			if (width > NAME_WIDTH)
				width = NAME_WIDTH;
			if (width > t->width[c])
				t->width[c] = width;
		}
	}
	buf_release(&cell);
	return rc;
}

static int put_cell(const struct table *t, size_t c, const char *text, size_t n)
{
	struct buf *out = &t->page->text;
	int gap = t->width[c] - columns_of(text, n), rc = 0;

	/* Nothing is to the right of the last one. */
	if (t->shown[c]->left && c + 1 == t->columns)
		gap = 0;
	if (gap > 0 && !t->shown[c]->left)
		rc = buf_printf(out, "%*s", gap, "");
	if (!rc)
		rc = buf_append(out, text, n);
	if (!rc && gap > 0 && t->shown[c]->left)
		rc = buf_printf(out, "%*s", gap, "");
	return rc || c + 1 == t->columns ? rc : buf_putc(out, ' ');
}

static int put_row(const struct table *t, size_t row, struct buf *cell)
{
	int rc = 0;

	for (size_t c = 0; c < t->columns && !rc; c++) {
		cell->len = 0;
		rc = t->shown[c]->print(&t->view, row, cell);
		if (rc)
			break;
		if (!t->view.csv) {
			rc = put_cell(t, c, cell->data ? cell->data : "", cell->len);
			continue;
		}
		rc = c ? buf_putc(&t->page->text, ',') : 0;
		if (!rc)
			rc = buf_append(&t->page->text, cell->data ? cell->data : "", cell->len);
	}
	return rc ? rc : buf_putc(&t->page->text, '\n');
}

static const char *title_of(const struct table *t, size_t c)
{
	static const char *const names[] = {"Function", "Module", "Task", "CPU"};
	static const char *const csv[] = {"function", "module", "task", "cpu"};

	if (t->shown[c]->letter == 'F')
		return t->view.csv ? csv[t->view.by] : names[t->view.by];
	return t->view.csv ? t->shown[c]->csv : t->shown[c]->title;
}

static int put_titles(const struct table *t)
{
	struct buf *out = &t->page->text;
	int rc = buf_puts(out, t->page->color && !t->view.csv ? BOLD : ""), width = (int)t->columns - 1;

	for (size_t c = 0; c < t->columns && !rc; c++) {
		const char *title = title_of(t, c);

		width += t->width[c];
		if (!t->view.csv) {
			rc = put_cell(t, c, title, strlen(title));
			continue;
		}
		rc = buf_printf(out, "%s%s", c ? "," : "", title);
		if (!rc && strchr("tarslixz", t->shown[c]->letter) && t->view.clock.hz)
			rc = buf_puts(out, "_ns");
	}
	if (!rc)
		rc = buf_printf(out, "%s\n", t->page->color && !t->view.csv ? PLAIN : "");
	for (int i = 0; i < width && !rc && !t->view.csv; i++)
		rc = buf_putc(out, '-');
	return rc || t->view.csv ? rc : buf_putc(out, '\n');
}

static const char *unit_of(const struct table *t)
{
	if (t->view.clock.hz)
		return "us";
	return t->view.clock.kind == DATA_CLOCK_BLOCKS ? "blocks" : "instructions";
}

static int put_head(const struct table *t, const struct replay *p, const struct functions *f)
{
	struct buf *out = &t->page->text;
	const struct strv *notes = replay_notes(p);
	int rc = buf_printf(out, "# %llu calls", (unsigned long long)functions_calls(f));

	if (!rc && functions_filtered(f))
		rc = buf_printf(out, ", %llu filtered away", (unsigned long long)functions_filtered(f));
	if (!rc)
		rc = buf_printf(out, ", %llu %s in all; times in %s\n",
		                (unsigned long long)functions_shown(&t->view, t->view.total), unit_of(t), unit_of(t));
	for (size_t i = 0; i < notes->n && !rc; i++) {
		rc = buf_puts(out, "# ");
		if (!rc)
			rc = cell_text(out, notes->items[i], strlen(notes->items[i]));
		if (!rc)
			rc = buf_putc(out, '\n');
	}
	if (!rc && t->endless)
		rc = buf_puts(out,
		              "# ~ has calls whose end was not seen: they last as long as the recording shows them\n");
	return rc ? rc : buf_puts(out, "#\n");
}

/* Rows are sorted, not always by time: those that are shown, in rows of the caller. */
static size_t choose(const struct table *t, uint64_t at_least, const struct functions_row **rows)
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

static int find_twice(struct table *t)
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

static int show_rows(struct table *t, const struct replay *p, const struct functions *f, uint64_t at_least)
{
	const struct functions_row **rows = reallocarray(NULL, t->view.n + 1, sizeof(*rows));
	struct buf cell = BUF_INIT;
	int rc = rows ? 0 : -ENOMEM;

	if (!rc) {
		t->view.n = choose(t, at_least, rows);
		t->view.rows = rows;
		for (size_t i = 0; i < t->view.n; i++)
			t->endless |= t->view.rows[i]->endless != 0;
		rc = find_twice(t);
	}
	if (!rc)
		rc = measure(t);
	if (!rc && !t->view.csv)
		rc = put_head(t, p, f);
	if (!rc)
		rc = put_titles(t);
	for (size_t i = 0; i < t->view.n && !rc; i++) {
		rc = put_row(t, i, &cell);
		if (!rc)
			rc = page_flush(t->page);
	}
	buf_release(&cell);
	free(t->view.twice);
	free(rows);
	return rc;
}

int functions_table_show(const struct functions_table *table, struct replay *p, const struct functions_options *options,
                         struct page *page, struct buf *err)
{
	struct table t = {
		.what = table,
		.page = page,
		.view = {.by = options->by, .clock = replay_clock(p), .csv = table->csv},
	};
	struct functions_options wanted = *options;
	struct functions *f;
	uint64_t at_least = 0;
	int rc;

	if (table->at_least && !functions_ticks(p, table->at_least, &at_least))
		return buf_printf(err, "--at-least: '%s' is not a time", table->at_least) ? -ENOMEM : -EINVAL;
	for (const char *c = table->columns; *c && t.columns < sizeof(t.shown) / sizeof(t.shown[0]); c++)
		t.shown[t.columns++] = functions_column(*c);
	wanted.callees = strpbrk(table->columns, "mnu") != NULL;
	wanted.distribution = strchr(table->columns, 'z') || table->sort == FUNCTIONS_SORT_P99;
	f = functions_new(p, &wanted);
	rc = f ? functions_count(f) : -ENOMEM;
	if (!rc)
		rc = functions_rows(f, table->sort, &t.view.rows, &t.view.n);
	if (!rc) {
		t.view.total = functions_total(f);
		rc = show_rows(&t, p, f, at_least);
	}
	functions_free(f);
	return rc;
}
