/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/call_trace.h>

#include <errno.h>
#include <exectrace/answer/format/callcsv.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define DONE (-ECANCELED) /* the limit is reached */
#define INDENT_MAX 200    /* levels that are indented */
#define US_PER_S 1000000u

/* The characters of trees, in kd's order. */
static const char marks[] = "|!@[#;($/{%]*)&:\\}";

struct call_trace_shown {
	const struct call_trace *what;
	struct replay *replay;
	struct page *page;
	struct table table; /* as JSON ... */
	struct table_column columns[CALL_CELLS + 1];
	uint64_t start; /* tick */
	uint64_t hz;
	size_t lines;
	char **names; /* by number of the function; NULL: not made yet */
	size_t n_names;
};

static const struct {
	char letter;
	int width;
	const char *title;
} columns[] = {
	{'e', 10, "Entry"}, {'t', 10, "Duration"}, {'r', 10, "Ran"},  {'w', 10, "Waited"},
	{'l', 10, "Local"}, {'p', 7, "Pid"},       {'n', 16, "Task"}, {'c', 3, "CPU"},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static size_t column_of(char letter)
{
	size_t i = 0;

	while (i < COLUMNS && columns[i].letter != letter)
		i++;
	return i;
}

const char *call_trace_bad_column(const char *letters)
{
	const char *at = letters;

	while (*at && column_of(*at) < COLUMNS && !strchr(at + 1, *at))
		at++;
	return *at || at == letters ? at : NULL;
}

/* --- Text -----------------------------------------------------------------------------------------------------------
 */

/* There may be millions of lines: they are put together by hand, in a buffer that has room. */
#define CELL_MAX 64u /* bytes of a number */

/* Digits, from the end backwards. Where they begin. */
static char *digits(char *end, uint64_t value)
{
	do {
		*--end = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return end;
}

/* A text, right-aligned in its column, and a blank. */
static void put_right(struct buf *out, const char *text, size_t n, int width)
{
	char *p = out->data + out->len;
	size_t gap = n < (size_t)width ? (size_t)width - n : 0;

	memset(p, ' ', gap);
	memcpy(p + gap, text, n);
	p[gap + n] = ' ';
	out->len += gap + n + 1;
}

/* Ticks in a column, as us when they are time; `mark` stands in front of the number. */
static void put_ticks(struct call_trace_shown *s, uint64_t ticks, char mark, int width)
{
	char text[CELL_MAX], *end = text + sizeof(text), *p = end;

	if (s->hz && s->hz != NS_PER_S && s->hz != US_PER_S)
		ticks = (uint64_t)((double)ticks * (double)NS_PER_S / (double)s->hz);
	if (s->hz && s->hz != US_PER_S) {
		p = digits(end, ticks % 1000 + 1000); /* 1 and three digits */
		*p = '.';
		ticks /= 1000;
	}
	p = digits(p, ticks);
	if (mark)
		*--p = mark;
	put_right(&s->page->text, p, (size_t)(end - p), width);
}

/* Without a task the stack says who it is. */
static void put_pid(struct call_trace_shown *s, const struct call_line *line, int width)
{
	char text[CELL_MAX], *end = text + sizeof(text), *p = digits(end, line->told ? line->pid : line->stack);

	if (!line->told)
		*--p = '#';
	put_right(&s->page->text, p, (size_t)(end - p), width);
}

static int put_task(struct call_trace_shown *s, const struct call_line *line, int width)
{
	struct buf *out = &s->page->text;
	const char *task = *line->task ? line->task : "-";
	size_t before = out->len, n;
	int rc = cell_text(out, task, strlen(task));

	n = out->len - before;
	if (!rc)
		rc = buf_printf(out, "%*s", n < (size_t)width ? width - (int)n + 1 : 1, "");
	return rc ? rc : buf_reserve(out, COLUMNS * CELL_MAX);
}

/* At least so long, when it had not ended; at most, when its end was not seen. */
static char mark_of(const struct call_line *line)
{
	return !line->ended ? '>' : line->seen ? '\0' : '<';
}

static int put_column(struct call_trace_shown *s, const struct call_line *line, char letter)
{
	int width = columns[column_of(letter)].width;

	switch (letter) {
	case 'e':
		put_ticks(s, line->entered > s->start ? line->entered - s->start : 0, '\0', width);
		return 0;
	case 't':
		put_ticks(s, line->duration, mark_of(line), width);
		return 0;
	case 'r':
		put_ticks(s, line->ran, '\0', width);
		return 0;
	case 'w':
		put_ticks(s, line->waited, '\0', width);
		return 0;
	case 'l':
		put_ticks(s, line->self, '\0', width);
		return 0;
	case 'p':
		put_pid(s, line, width);
		return 0;
	case 'n':
		return put_task(s, line, width);
	default:
		return buf_printf(&s->page->text, "%*u ", width, line->cpu)
		               ? -ENOMEM
		               : buf_reserve(&s->page->text, COLUMNS * CELL_MAX);
	}
}

/* The names of functions as they are shown, made once. */
static int learn_name(struct call_trace_shown *s, uint32_t function)
{
	const char *name = replay_function(s->replay, function)->name;
	size_t n = strlen(name), more = (size_t)function + 1024;
	struct buf text = BUF_INIT;
	int rc = cell_text(&text, name, s->what->name && s->what->name < n ? s->what->name : n);

	if (!rc && function >= s->n_names) {
		char **names = reallocarray(s->names, more, sizeof(*names));

		rc = names ? 0 : -ENOMEM;
		if (names) {
			memset(names + s->n_names, 0, (more - s->n_names) * sizeof(*names));
			s->names = names;
			s->n_names = more;
		}
	}
	if (!rc)
		rc = (s->names[function] = buf_steal(&text)) ? 0 : -ENOMEM;
	buf_release(&text);
	return rc;
}

static char tree_mark(const struct call_trace_shown *s, const struct call_line *line)
{
	return marks[s->what->interlace ? line->tree % (sizeof(marks) - 1) : 0];
}

/* What the call was given, and gave, where that is known. */
static int put_values(struct call_trace_shown *s, const struct call_line *line)
{
	struct buf *out = &s->page->text;
	int rc = 0;

	if (line->args)
		rc = buf_printf(out, "(%s)", line->args);
	if (!rc && line->result && *line->result)
		rc = buf_printf(out, "%s = %s", line->args ? "" : "(...)", line->result);
	return rc;
}

static int put_call(struct call_trace_shown *s, const struct call_line *line)
{
	struct buf *out = &s->page->text;
	uint32_t depth = line->depth < INDENT_MAX ? line->depth : INDENT_MAX;
	bool known = line->function < s->n_names && s->names[line->function];
	int rc = known ? 0 : learn_name(s, line->function);
	char *p;

	if (!rc)
		rc = buf_reserve(out, COLUMNS * CELL_MAX);
	for (const char *c = s->what->columns; *c && !rc; c++)
		rc = put_column(s, line, *c);
	if (!rc)
		rc = buf_reserve(out, 3 * (size_t)depth);
	if (rc)
		return rc;
	p = out->data + out->len;
	for (uint32_t i = 0; i < depth; i++, p += 3)
		memcpy(p, (const char[]){tree_mark(s, line), ' ', ' '}, 3);
	out->len += 3 * (size_t)depth;
	rc = buf_puts(out, s->names[line->function]);
	rc = rc ? rc : put_values(s, line);
	return rc ? rc : buf_putc(out, '\n');
}

static int put_bracket(struct call_trace_shown *s, const struct call_line *line)
{
	bool start = line->kind == CALL_LINE_START;
	char c = tree_mark(s, line);

	return buf_printf(&s->page->text, "----------- %c%c%c%c %s\n", c, c, c, c,
	                  start ? "start --------------" : "end ----------------");
}

static int put_titles(struct call_trace_shown *s)
{
	struct buf *out = &s->page->text;
	int rc = buf_puts(out, s->page->color ? BOLD : "");

	for (const char *c = s->what->columns; *c && !rc; c++) {
		size_t i = column_of(*c);

		rc = buf_printf(out, *c == 'n' ? "%-*s " : "%*s ", columns[i].width, columns[i].title);
	}
	return rc ? rc : buf_printf(out, "Trace%s\n", s->page->color ? PLAIN : "");
}

/* --- For machines --------------------------------------------------------------------------------------------------
 */

static int plain_call(struct call_trace_shown *s, const struct call_line *line)
{
	struct call_cell cells[CALL_CELLS];

	/* There may be millions of lines: the faster way for those that are mostly asked for. */
	if (s->what->format == TABLE_CSV)
		return call_csv_line(&s->page->text, s->replay, line);
	call_cells(s->replay, line, cells);
	for (size_t i = 0; i < CALL_CELLS; i++)
		if (cells[i].text)
			table_text(&s->table, cells[i].text);
		else
			table_number(&s->table, cells[i].number);
	return s->table.err;
}

static int begin_plain(struct call_trace_shown *s)
{
	if (s->what->format == TABLE_CSV)
		return call_csv_titles(&s->page->text, s->replay);
	for (size_t i = 0; i < CALL_CELLS; i++)
		s->columns[i] = (struct table_column){.title = "",
		                                      .key = call_columns[i].key,
		                                      .text = call_columns[i].text,
		                                      .time = call_columns[i].time};
	table_begin(&s->table, s->page, TABLE_JSON, s->columns, replay_clock(s->replay));
	return 0;
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

static int show_line(void *ctx, const struct call_line *line)
{
	struct call_trace_shown *s = ctx;
	int rc;

	if (s->what->limit && s->lines == s->what->limit)
		return DONE;
	if (line->kind != CALL_LINE_CALL)
		rc = put_bracket(s, line);
	else
		rc = s->what->format != TABLE_TEXT ? plain_call(s, line) : put_call(s, line);
	s->lines += line->kind == CALL_LINE_CALL;
	return rc ? rc : page_flush(s->page);
}

int call_trace_show(const struct call_trace *trace, struct replay *p, const struct calltrace_options *options,
                    struct page *page)
{
	struct call_trace_shown s = {.what = trace,
	                             .replay = p,
	                             .page = page,
	                             .start = replay_start(p),
	                             .hz = replay_clock(p).hz};
	struct calltrace_options wanted = *options;
	bool people = trace->format == TABLE_TEXT;
	int rc = people ? put_titles(&s) : begin_plain(&s);

	wanted.trees = trace->interlace && people;
	wanted.values = trace->format == TABLE_JSON ? CALL_VALUES_JSON : CALL_VALUES_TEXT;
	if (!rc)
		rc = calltrace_run(p, &wanted, show_line, &s);
	rc = rc == DONE ? 0 : rc;
	if (!rc && trace->format == TABLE_JSON)
		rc = table_end(&s.table);
	for (size_t i = 0; i < s.n_names; i++)
		free(s.names[i]);
	free(s.names);
	return rc;
}
