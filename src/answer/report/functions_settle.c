/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "functions.h"

#include <stdlib.h>

/* A task may have lost more to interrupts than it ran itself as this task. */
static uint64_t not_negative(uint64_t ticks)
{
	return (int64_t)ticks < 0 ? 0 : ticks;
}

/* Puts what was added up into the rows. */
static void fill_rows(struct report_functions *f)
{
	f->calls = 0;
	for (size_t i = ROW_SPECIAL; i < f->n; i++) {
		struct functions_row *row = &f->rows[i];
		const struct tally *tally = &f->tallies[i];

		row->count = tally->count;
		row->endless = tally->count - tally->ended;
		row->time = tally->time;
		row->self = tally->self;
		row->inner = tally->inner;
		row->elapsed = f->waits[i].elapsed;
		row->waited = f->waits[i].waited;
		row->delay = f->waits[i].delay;
		row->each.count = tally->ended;
		row->each.total = tally->total;
		row->each.min = tally->ended ? tally->min : 0;
		row->each.max = tally->max;
		f->calls += tally->count;
	}
}

void functions_settle(struct report_functions *f)
{
	bool all = !f->scoped && f->options.irq != FUNCTIONS_IRQ_ONLY;
	struct functions_row *outside = &f->rows[ROW_OUTSIDE];

	/* On which stack a CPU is need not be known at all times. */
	if (f->options.by < FUNCTIONS_BY_TASK && !f->options.task && !f->options.n_pids)
		outside->self += replay_cpu_time(f->replay) - f->ran;
	outside->self = outside->time = all ? not_negative(outside->self) : 0;
	if (f->options.by < FUNCTIONS_BY_TASK) {
		fill_rows(f);
		return;
	}
	for (size_t i = ROW_SPECIAL; i < f->n; i++)
		f->rows[i].self = f->rows[i].time = not_negative(f->rows[i].time);
}

int functions_fill_growth(struct report_functions *f)
{
	struct shapes_grows *grows;
	size_t n;
	int rc = shapes_find_growth(f->shapes, 1, &grows, &n);

	for (size_t i = 0; i < n && !rc; i++) {
		struct functions_row *row = &f->rows[f->row_of[grows[i].function]];

		row->growth = grows[i].fit;
		row->inside = grows[i].inside;
		row->often = grows[i].fit.times > 1 ? replay_function(f->replay, grows[i].fit.often)->name : "";
	}
	if (!rc)
		free(grows);
	return rc;
}
