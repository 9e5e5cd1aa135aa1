/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call_trace.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/cmd/cell.h>
#include <string.h>

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define DONE (-ECANCELED) /* the limit is reached */
#define INDENT_MAX 200    /* levels that are indented */

/* The characters of trees, in kd's order. */
static const char marks[] = "|!@[#;($/{%]*)&:\\}";

struct shown {
	const struct call_trace *what;
	struct replay *replay;
	struct page *page;
	uint64_t start; /* tick */
	uint64_t hz;
	size_t lines;
};

static const struct {
	char letter;
	int width;
	const char *title;
} columns[] = {
	{'e', 10, "Entry"}, {'t', 10, "Duration"}, {'l', 10, "Local"},
	{'p', 7, "Pid"},    {'n', 16, "Task"},     {'c', 3, "CPU"},
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

/* --- Text ----------------------------------------------------------------------------------------------------------
 */

/* Ticks in a column, as us when they are time; `mark` stands in front of the number. */
static int put_ticks(struct shown *s, uint64_t ticks, const char *mark, int width)
{
	char text[40];

	if (s->hz > 1000000)
		snprintf(text, sizeof(text), "%s%.3f", mark, (double)ticks * 1e6 / (double)s->hz);
	else if (s->hz && s->hz < 1000000)
		snprintf(text, sizeof(text), "%s%.0f", mark, (double)ticks * 1e6 / (double)s->hz);
	else
		snprintf(text, sizeof(text), "%s%llu", mark, (unsigned long long)ticks);
	return buf_printf(&s->page->text, "%*s ", width, text);
}

/* Without a task the stack says who it is. */
static int put_pid(struct shown *s, const struct call_line *line, int width)
{
	char text[24];

	if (line->told)
		snprintf(text, sizeof(text), "%u", line->pid);
	else
		snprintf(text, sizeof(text), "#%llu", (unsigned long long)line->stack);
	return buf_printf(&s->page->text, "%*s ", width, text);
}

static int put_task(struct shown *s, const struct call_line *line, int width)
{
	struct buf *out = &s->page->text;
	const char *task = *line->task ? line->task : "-";
	size_t before = out->len, n;
	int rc = cell_text(out, task, strlen(task));

	n = out->len - before;
	return rc ? rc : buf_printf(out, "%*s", n < (size_t)width ? width - (int)n + 1 : 1, "");
}

/* At least so long, when it had not ended; at most, when its end was not seen. */
static const char *mark_of(const struct call_line *line)
{
	return !line->ended ? ">" : line->seen ? "" : "<";
}

static int put_column(struct shown *s, const struct call_line *line, char letter)
{
	int width = columns[column_of(letter)].width;

	switch (letter) {
	case 'e':
		return put_ticks(s, line->entered > s->start ? line->entered - s->start : 0, "", width);
	case 't':
		return put_ticks(s, line->duration, mark_of(line), width);
	case 'l':
		return put_ticks(s, line->self, "", width);
	case 'p':
		return put_pid(s, line, width);
	case 'n':
		return put_task(s, line, width);
	default:
		return buf_printf(&s->page->text, "%*u ", width, line->cpu);
	}
}

static int put_name(struct shown *s, const struct call_line *line)
{
	const char *name = replay_function(s->replay, line->function)->name;
	size_t n = strlen(name);

	return cell_text(&s->page->text, name, s->what->name && s->what->name < n ? s->what->name : n);
}

static char tree_mark(const struct shown *s, const struct call_line *line)
{
	return marks[s->what->interlace ? line->tree % (sizeof(marks) - 1) : 0];
}

static int put_call(struct shown *s, const struct call_line *line)
{
	struct buf *out = &s->page->text;
	uint32_t depth = line->depth < INDENT_MAX ? line->depth : INDENT_MAX;
	int rc = 0;

	for (const char *c = s->what->columns; *c && !rc; c++)
		rc = put_column(s, line, *c);
	for (uint32_t i = 0; i < depth && !rc; i++)
		rc = buf_printf(out, "%c  ", tree_mark(s, line));
	if (!rc)
		rc = put_name(s, line);
	return rc ? rc : buf_putc(out, '\n');
}

static int put_bracket(struct shown *s, const struct call_line *line)
{
	bool start = line->kind == CALL_LINE_START;
	char c = tree_mark(s, line);

	return buf_printf(&s->page->text, "----------- %c%c%c%c %s\n", c, c, c, c,
	                  start ? "start --------------" : "end ----------------");
}

static int put_titles(struct shown *s)
{
	struct buf *out = &s->page->text;
	int rc = buf_puts(out, s->page->color ? BOLD : "");

	for (const char *c = s->what->columns; *c && !rc; c++) {
		size_t i = column_of(*c);

		rc = buf_printf(out, *c == 'n' ? "%-*s " : "%*s ", columns[i].width, columns[i].title);
	}
	return rc ? rc : buf_printf(out, "Trace%s\n", s->page->color ? PLAIN : "");
}

/* --- CSV -----------------------------------------------------------------------------------------------------------
 */

static int csv_titles(struct shown *s)
{
	const char *unit = s->hz ? "_ns" : "";

	return buf_printf(&s->page->text,
	                  "entry%s,duration%s,local%s,end,pid,task,stack,cpu,interrupt,tree,depth,function,module\n",
	                  unit, unit, unit);
}

static unsigned long long csv_ticks(const struct shown *s, uint64_t ticks)
{
	if (!s->hz || s->hz == NS_PER_S)
		return ticks;
	return (unsigned long long)((double)ticks * (double)NS_PER_S / (double)s->hz);
}

static int csv_text(struct shown *s, const char *text)
{
	int rc = cell_csv(&s->page->text, text, strlen(text));

	return rc ? rc : buf_putc(&s->page->text, ',');
}

static int csv_call(struct shown *s, const struct call_line *line)
{
	const struct replay_function *f = replay_function(s->replay, line->function);
	struct buf *out = &s->page->text;
	int rc = buf_printf(out, "%llu,%llu,%llu,%s,%u,",
	                    csv_ticks(s, line->entered > s->start ? line->entered - s->start : 0),
	                    csv_ticks(s, line->duration), csv_ticks(s, line->self),
	                    !line->ended ? "open"
	                    : line->seen ? "seen"
	                                 : "unseen",
	                    line->pid);

	if (!rc)
		rc = csv_text(s, line->task);
	if (!rc)
		rc = buf_printf(out, "%llu,%u,%d,%llu,%u,", (unsigned long long)line->stack, line->cpu, line->interrupt,
		                (unsigned long long)line->tree, line->depth);
	if (!rc)
		rc = csv_text(s, f->name);
	if (!rc)
		rc = cell_csv(out, f->module, strlen(f->module));
	return rc ? rc : buf_putc(out, '\n');
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

static int show_line(void *ctx, const struct call_line *line)
{
	struct shown *s = ctx;
	int rc;

	if (s->what->limit && s->lines == s->what->limit)
		return DONE;
	if (line->kind != CALL_LINE_CALL)
		rc = put_bracket(s, line);
	else
		rc = s->what->csv ? csv_call(s, line) : put_call(s, line);
	s->lines += line->kind == CALL_LINE_CALL;
	return rc ? rc : page_flush(s->page);
}

int call_trace_show(const struct call_trace *trace, struct replay *p, const struct calltrace_options *options,
                    struct page *page)
{
	struct shown s = {.what = trace, .replay = p, .page = page, .start = replay_start(p), .hz = replay_clock(p).hz};
	struct calltrace_options wanted = *options;
	int rc = trace->csv ? csv_titles(&s) : put_titles(&s);

	wanted.trees = trace->interlace && !trace->csv;
	if (!rc)
		rc = calltrace_run(p, &wanted, show_line, &s);
	return rc == DONE ? 0 : rc;
}
