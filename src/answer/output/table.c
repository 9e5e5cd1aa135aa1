/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/output/table.h>

#include <errno.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/base/quote.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define NARROWEST 12 /* columns that are left of one that is cut, ... */
#define READABLE 28  /* ... and that are, if others can be left out for that */
#define HIDDEN (-1)  /* width of a column that is not there */

bool table_has(const struct table *t, const struct table_column *column)
{
	return t->format == TABLE_TEXT ? *column->title != '\0' : column->key != NULL;
}

/* --- For machines ---------------------------------------------------------------------------------------------------
 */

static const char *suffix_of(const struct table *t, const struct table_column *column)
{
	return column->time && t->clock.hz ? "_ns" : "";
}

static int put_keys(struct table *t)
{
	struct buf *out = &t->page->text;
	bool any = false;
	int rc = 0;

	for (size_t i = 0; i < t->n && !rc; i++) {
		if (!table_has(t, &t->columns[i]))
			continue;
		rc = buf_printf(out, "%s%s%s", any ? "," : "", t->columns[i].key, suffix_of(t, &t->columns[i]));
		any = true;
	}
	return rc ? rc : buf_putc(out, '\n');
}

static int put_json(struct table *t, const struct table_column *column, const char *text, size_t n)
{
	struct buf *out = &t->page->text;
	int rc = buf_printf(out, "\"%s%s\":", column->key, suffix_of(t, column));

	if (rc)
		return rc;
	return column->text ? quote_json(out, text, n) : buf_append(out, n ? text : "null", n ? n : 4);
}

static int put_plain(struct table *t, const struct table_column *column, const char *text, size_t n)
{
	static const char *const before[] = {[TABLE_CSV] = "", [TABLE_JSON] = "[{"};
	static const char *const more[] = {[TABLE_CSV] = "", [TABLE_JSON] = ",\n {"};
	struct buf *out = &t->page->text;
	bool first = true;
	int rc;

	for (size_t i = 0; i < t->at && first; i++)
		first = !table_has(t, &t->columns[i]);
	rc = buf_puts(out, !first ? "," : t->rows ? more[t->format] : before[t->format]);
	if (rc)
		return rc;
	return t->format == TABLE_CSV ? cell_csv(out, text, n) : put_json(t, column, text, n);
}

/* --- Cells ----------------------------------------------------------------------------------------------------------
 */

static void end_row(struct table *t)
{
	t->at = 0;
	t->rows++;
	if (t->format == TABLE_TEXT)
		return;
	t->err = t->format == TABLE_CSV ? buf_putc(&t->page->text, '\n') : buf_putc(&t->page->text, '}');
	if (!t->err)
		t->err = page_flush(t->page);
}

static void put(struct table *t, const char *text, size_t n)
{
	const struct table_column *column = &t->columns[t->at];

	if (t->err)
		return;
	if (!table_has(t, column)) {
		t->err = 0;
	} else if (t->format != TABLE_TEXT) {
		t->err = put_plain(t, column, text, n);
	} else {
		t->err = cell_text(&t->cells, text, n);
		if (!t->err)
			t->err = buf_putc(&t->cells, '\0');
	}
	t->at++;
	if (!t->err && t->at == t->n)
		end_row(t);
}

void table_text(struct table *t, const char *text)
{
	put(t, text, strlen(text));
}

void table_printf(struct table *t, const char *fmt, ...)
{
	char text[200];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	put(t, text, strlen(text));
}

void table_number(struct table *t, uint64_t value)
{
	table_printf(t, "%" PRIu64, value);
}

void table_ticks(struct table *t, uint64_t ticks)
{
	struct buf text = BUF_INIT;

	if (t->format != TABLE_TEXT) {
		table_number(t, ticks_plain(&t->clock, ticks));
		return;
	}
	if (!t->err)
		t->err = ticks_print(&text, &t->clock, ticks);
	put(t, text.data ? text.data : "", text.len);
	buf_release(&text);
}

/* --- For people -----------------------------------------------------------------------------------------------------
 */

static const char *next_cell(const char *cell)
{
	return cell + strlen(cell) + 1;
}

static void measure(const struct table *t, int *widths)
{
	const char *cell = t->cells.data;

	for (size_t i = 0; i < t->n; i++) {
		widths[i] = table_has(t, &t->columns[i]) ? cell_columns(t->columns[i].title) : HIDDEN;
		if (widths[i] != HIDDEN && widths[i] < t->columns[i].width)
			widths[i] = t->columns[i].width;
	}
	for (size_t row = 0; row < t->rows; row++)
		for (size_t i = 0; i < t->n; i++) {
			int width;

			if (!table_has(t, &t->columns[i]))
				continue;
			width = cell_columns(cell);
			if (width > widths[i])
				widths[i] = width;
			cell = next_cell(cell);
		}
}

/* Columns of the terminal that all take when those that may be cut have no more than `most`. */
static int width_of(const struct table *t, const int *widths, int most)
{
	int all = -t->gap;

	for (size_t i = 0; i < t->n; i++)
		if (widths[i] != HIDDEN)
			all += t->gap + (t->columns[i].cut && widths[i] > most ? most : widths[i]);
	return all;
}

/* Leaves out what is not needed until those that are cut can still be read. */
static void leave_out(const struct table *t, int *widths)
{
	while (width_of(t, widths, READABLE) > t->page->width) {
		size_t spare = t->n;

		for (size_t i = 0; i < t->n; i++)
			if (widths[i] != HIDDEN && t->columns[i].spare &&
			    (spare == t->n || t->columns[i].spare > t->columns[spare].spare))
				spare = i;
		if (spare == t->n)
			return;
		widths[spare] = HIDDEN;
	}
}

/* Takes from the widest column that may be cut until all fit. */
static void squeeze(const struct table *t, int *widths)
{
	leave_out(t, widths);
	for (int all = width_of(t, widths, INT_MAX); all > t->page->width; all--) {
		size_t widest = t->n;

		for (size_t i = 0; i < t->n; i++)
			if (t->columns[i].cut && widths[i] != HIDDEN && (widest == t->n || widths[i] > widths[widest]))
				widest = i;
		if (widest == t->n || widths[widest] <= NARROWEST)
			return;
		widths[widest]--;
	}
}

/* Bytes of the first `width` columns of a text. */
static size_t bytes_of(const char *text, int width)
{
	size_t n = 0;

	while (text[n] && (width || ((unsigned char)text[n] & 0xc0) == 0x80))
		width -= ((unsigned char)text[n++] & 0xc0) != 0x80;
	return n;
}

static int put_aligned(const struct table *t, size_t column, const char *text, const int *widths)
{
	struct buf *out = &t->page->text;
	int width = cell_columns(text), gap = widths[column] - width, rc = 0;
	bool left = t->columns[column].left;

	if (gap > 0 && !left)
		rc = buf_printf(out, "%*s", gap, "");
	if (!rc && gap >= 0)
		rc = buf_puts(out, text);
	else if (!rc)
		rc = buf_append(out, text, bytes_of(text, widths[column] - 1)) ? -ENOMEM : buf_putc(out, '>');
	if (!rc && gap > 0 && left)
		rc = buf_printf(out, "%*s", gap, "");
	return rc ? rc : buf_printf(out, "%*s", t->gap, "");
}

/* Ends a line without the blanks at its end. */
static int end_line(struct buf *out, const char *with)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->len--;
	return buf_printf(out, "%s\n", with);
}

static int put_row(const struct table *t, const char **cell, const int *widths)
{
	int rc = 0;

	for (size_t i = 0; i < t->n && !rc; i++) {
		if (!table_has(t, &t->columns[i]))
			continue;
		if (widths[i] != HIDDEN)
			rc = put_aligned(t, i, *cell, widths);
		*cell = next_cell(*cell);
	}
	return rc ? rc : end_line(&t->page->text, "");
}

static int put_rule(const struct table *t, const int *widths)
{
	int width = width_of(t, widths, INT_MAX), rc = 0;

	for (; width > 0 && !rc; width--)
		rc = buf_putc(&t->page->text, '-');
	return rc ? rc : buf_putc(&t->page->text, '\n');
}

static int put_all(const struct table *t)
{
	int widths[TABLE_COLUMNS] = {0}, rc;
	const char *cell = t->cells.data;

	measure(t, widths);
	if (t->page->width)
		squeeze(t, widths);
	rc = buf_puts(&t->page->text, t->page->color ? BOLD : "");
	for (size_t i = 0; i < t->n && !rc; i++)
		if (widths[i] != HIDDEN)
			rc = put_aligned(t, i, t->columns[i].title, widths);
	if (!rc)
		rc = end_line(&t->page->text, t->page->color ? PLAIN : "");
	if (!rc && t->rule)
		rc = put_rule(t, widths);
	for (size_t row = 0; row < t->rows && !rc; row++) {
		rc = put_row(t, &cell, widths);
		if (!rc)
			rc = page_flush(t->page);
	}
	return rc;
}

void table_begin(struct table *t, struct page *page, enum table_format format, const struct table_column *columns,
                 struct replay_clock clock)
{
	*t = (struct table){.page = page, .format = format, .columns = columns, .clock = clock, .gap = 2};
	while (columns[t->n].title)
		t->n++;
	if (format == TABLE_CSV)
		t->err = put_keys(t);
}

int table_end(struct table *t)
{
	if (!t->err && t->format == TABLE_TEXT)
		t->err = put_all(t);
	else if (!t->err && t->format == TABLE_JSON)
		t->err = buf_puts(&t->page->text, t->rows ? "]\n" : "[]\n");
	buf_release(&t->cells);
	return t->err;
}
