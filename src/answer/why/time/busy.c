/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/time/busy.h>

#include <exectrace/base/clock.h>

#define PROGRAMS_MAX 4
#define FUNCTIONS_MAX 5

/* A column of eight steps, of which `most` is the highest. */
static void column(struct buf *out, int64_t value, int64_t most)
{
	static const char *const blocks[] = {"_", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	int64_t eighths = most > 0 && value > 0 ? (int64_t)((double)value * 8 / (double)most + 0.9) : 0;

	buf_puts(out, blocks[eighths < 8 ? eighths : 8]);
}

static void columns(const struct why *why, struct buf *out)
{
	uint64_t took = story_end(&why->story, why->top) - story_start(&why->story, why->top);
	int64_t most = 0;
	uint64_t width = took / BUSY_COLUMNS + 1;

	for (size_t i = 0; i < BUSY_COLUMNS; i++)
		if (why->busy.columns[i] > most)
			most = why->busy.columns[i];
	buf_puts(out, "  ");
	for (size_t i = 0; i < BUSY_COLUMNS; i++)
		column(out, why->busy.columns[i], most);
	buf_printf(out, "  at most %.1f at a time\n", (double)most / (double)width);
}

void page_busy(const struct why *why, struct buf *out)
{
	const struct busy *busy = &why->busy;

	if (!busy->known || !busy->time)
		return;
	buf_puts(out, "\nWhat did not wait\n");
	columns(why, out);
	for (size_t i = 0; i < busy->n && i < PROGRAMS_MAX && busy->programs[i].time; i++) {
		const struct busy_program *p = &busy->programs[i];
		struct buf time = BUF_INIT;

		clock_print(&time, p->time);
		buf_printf(out, "  %7s %3u%%  %zu x ", time.data ? time.data : "?",
		           (unsigned)(p->time * 100 / busy->time), p->processes);
		buf_release(&time);
		page_foreign(out, p->name, COMMAND_MAX);
		buf_puts(out, ", at most ");
		clock_print(out, p->most);
		buf_puts(out, ": ");
		page_process_as(out, p->busiest, p->command, COMMAND_MAX);
		buf_putc(out, '\n');
	}
	buf_printf(out, "  more: exectrace syscalls --summary=process%s\n", why->data.data ? why->data.data : "");
}

void page_samples(const struct why *why, struct buf *out)
{
	const struct samples *s = &why->samples;

	if (!s->time)
		return;
	buf_puts(out, "\nWhere processors were, by samples of ");
	clock_print(out, s->time);
	buf_puts(out, "\n");
	for (size_t i = 0; i < s->n && i < FUNCTIONS_MAX; i++) {
		const struct sampled *item = &s->items[i];
		struct buf time = BUF_INIT;

		clock_print(&time, item->time);
		buf_printf(out, "  %7s %3u%%  ", time.data ? time.data : "?", (unsigned)(item->time * 100 / s->time));
		buf_release(&time);
		page_foreign(out, item->function->name, COMMAND_MAX);
		if (*item->function->file) {
			buf_puts(out, " of ");
			page_foreign(out, item->function->file, COMMAND_MAX);
		}
		buf_puts(out, ", in ");
		page_foreign(out, *item->process->comm ? item->process->comm : "?", COMMAND_MAX);
		buf_printf(out, " [%u]\n", item->process->pid);
	}
	buf_printf(out, "  more: exectrace report --event=samples%s\n", why->data.data ? why->data.data : "");
}
