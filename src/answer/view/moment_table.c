/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/moment_table.h>

#include <errno.h>
#include <exectrace/answer/calls/select.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/answer/report/moment.h>
#include <exectrace/base/clock.h>
#include <string.h>

#define FRAME                                                                           \
	{"Function", "function", .left = true, .text = true, .cut = true, .width = 20}, \
	{                                                                               \
		"Module", "module", .left = true, .text = true                          \
	}

/* For people a table for each task, ... */
static const struct table_column columns[] = {
	{"Entry", "", .time = true, .width = 8},
	{"Open for", "", .time = true, .width = 8},
	FRAME,
	{0},
};

/* ... and for machines one. */
static const struct table_column plain_columns[] = {
	{"", "pid", .text = false},
	{"", "task", .text = true},
	{"", "cpu", .text = false},
	{"", "state", .text = true},
	{"", "since", .time = true},
	{"", "level", .text = false},
	{"", "interrupt", .text = true},
	{"", "entry", .time = true},
	{"", "open", .time = true},
	FRAME,
	{0},
};

/* What all rows have in common. */
struct showing {
	struct replay *replay;
	uint64_t tick, start;
};

static uint64_t between(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static void put_function(struct table *t, const struct showing *s, const struct moment_frame *frame)
{
	const struct replay_function *f = replay_function(s->replay, frame->function);

	table_text(t, f->name);
	table_text(t, f->module);
}

/* --- For people --------------------------------------------------------------------------------------------------- */

/* "meterd [83] runs on CPU 0 since 1.52ms:" */
static int put_head(struct buf *out, const struct showing *s, const struct moment_stack *stack)
{
	const struct replay_clock clock = replay_clock(s->replay);
	const char *task = stack->told && *stack->task ? stack->task : "a task";
	int rc = buf_puts(out, "# ");

	rc = rc ? rc : cell_text(out, task, strlen(task));
	if (!rc && stack->told)
		rc = buf_printf(out, " [%u]", stack->pid);
	rc = rc ? rc
	        : buf_printf(out, stack->running ? " runs on CPU %u, for " : " waits, ran last on CPU %u, for ",
	                     stack->cpu);
	rc = rc ? rc : ticks_print(out, &clock, between(stack->since, s->tick));
	return rc ? rc : buf_putc(out, '\n');
}

static int show_stack(const struct showing *s, const struct moment_stack *stack, struct page *page)
{
	struct table t;
	int rc = put_head(&page->text, s, stack);

	if (rc)
		return rc;
	table_begin(&t, page, TABLE_TEXT, columns, replay_clock(s->replay));
	for (uint32_t i = 0; i < stack->n && !t.err; i++) {
		const struct moment_frame *frame = &stack->frames[i];

		if (frame->interrupt && i) {
			table_text(&t, "");
			table_text(&t, "");
			table_text(&t, "--- interrupted by ---");
			table_text(&t, "");
		}
		table_ticks(&t, between(s->start, frame->entered));
		table_ticks(&t, between(frame->entered, s->tick));
		put_function(&t, s, frame);
	}
	return table_end(&t);
}

static int show_text(const struct showing *s, const struct moment *m, struct page *page)
{
	int rc = 0;

	for (size_t i = 0; i < m->n && !rc; i++) {
		rc = i ? buf_putc(&page->text, '\n') : 0;
		rc = rc ? rc : show_stack(s, &m->stacks[i], page);
	}
	return m->n || rc ? rc : buf_puts(&page->text, "# nothing that was recorded ran at that moment\n");
}

/* --- For machines ------------------------------------------------------------------------------------------------- */

static int show_plain(const struct showing *s, const struct moment *m, enum table_format format, struct page *page)
{
	struct table t;

	table_begin(&t, page, format, plain_columns, replay_clock(s->replay));
	for (size_t i = 0; i < m->n; i++)
		for (uint32_t level = 0; level < m->stacks[i].n && !t.err; level++) {
			const struct moment_stack *stack = &m->stacks[i];
			const struct moment_frame *frame = &stack->frames[level];

			table_number(&t, stack->pid);
			table_text(&t, stack->told ? stack->task : "");
			table_number(&t, stack->cpu);
			table_text(&t, stack->running ? "running" : "waiting");
			table_ticks(&t, between(s->start, stack->since));
			table_number(&t, level);
			table_text(&t, frame->interrupt ? "yes" : "no");
			table_ticks(&t, between(s->start, frame->entered));
			table_ticks(&t, between(frame->entered, s->tick));
			put_function(&t, s, frame);
		}
	return table_end(&t);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static int refuse(struct buf *err, const char *text)
{
	return buf_puts(err, text) ? -ENOMEM : -EINVAL;
}

int moment_table_show(const struct moment_table *table, struct replay *p, struct page *page, struct buf *err)
{
	struct showing s = {.replay = p, .start = replay_start(p)};
	const uint64_t hz = replay_clock(p).hz;
	struct moment m;
	uint64_t ns;
	int rc;

	if (call_select_moment(&ns, table->time))
		return refuse(err, "--at takes a time in seconds");
	if (!hz)
		return refuse(err, "--at: this clock counts no time; --clock=host does where the recording knows that");
	s.tick = s.start + (uint64_t)((double)ns * (double)hz / (double)NS_PER_S);
	rc = moment_read(&m, p, s.tick, &table->select);
	if (!rc && !m.reached)
		rc = refuse(err, "--at: the recording ended before that");
	if (!rc && table->format == TABLE_TEXT)
		rc = show_text(&s, &m, page);
	else if (!rc)
		rc = show_plain(&s, &m, table->format, page);
	moment_release(&m);
	return rc;
}
