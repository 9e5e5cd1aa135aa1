/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/export/callcsv.h>

#include "text.h"
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <string.h>

#define NUMBERS_MAX 12 /* of a row */

int call_csv_titles(struct buf *out, const struct replay *p)
{
	const char *unit = replay_clock(p).hz ? "_ns" : "";

	return buf_printf(out,
	                  "entry%s,duration%s,local%s,end,pid,task,stack,cpu,interrupt,tree,depth,function,module\n",
	                  unit, unit, unit);
}

static uint64_t as_ns(const struct replay *p, uint64_t ticks)
{
	uint64_t hz = replay_clock(p).hz;

	return !hz || hz == NS_PER_S ? ticks : (uint64_t)((double)ticks * (double)NS_PER_S / (double)hz);
}

/* Numbers, each with a comma behind it; the buffer has room. */
static void put_numbers(struct buf *out, const uint64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		text_put_number(out, numbers[i]);
		text_put(out, ",");
	}
}

static int reserve(struct buf *out)
{
	return buf_reserve(out, NUMBERS_MAX * (TEXT_NUMBER_BYTES + 1));
}

int call_csv_line(struct buf *out, const struct replay *p, const struct call_line *line)
{
	const struct replay_function *f = replay_function(p, line->function);
	uint64_t start = replay_start(p);
	const uint64_t times[] = {as_ns(p, line->entered > start ? line->entered - start : 0), as_ns(p, line->duration),
	                          as_ns(p, line->self)};
	const uint64_t places[] = {line->stack, line->cpu, line->interrupt, line->tree, line->depth};
	const uint64_t pid[] = {line->pid};
	int rc = reserve(out);

	if (rc)
		return rc;
	put_numbers(out, times, 3);
	text_put(out, !line->ended ? "open," : line->seen ? "seen," : "unseen,");
	put_numbers(out, pid, 1);
	rc = quote_csv(out, line->task, strlen(line->task));
	if (!rc)
		rc = buf_putc(out, ',');
	if (!rc)
		rc = reserve(out);
	if (rc)
		return rc;
	put_numbers(out, places, 5);
	rc = quote_csv(out, f->name, strlen(f->name));
	if (!rc)
		rc = buf_putc(out, ',');
	if (!rc)
		rc = quote_csv(out, f->module, strlen(f->module));
	return rc ? rc : buf_putc(out, '\n');
}
