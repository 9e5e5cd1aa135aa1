/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outcome.h"

#include <exectrace/base/clock.h>

uint64_t outcome_cpu(const struct why *why, size_t *known, size_t *all)
{
	uint64_t sum = 0;

	*known = *all = 0;
	for (const struct tree_node *node = why->top; node; node = process_tree_next(node)) {
		if (node != why->top && node->depth <= why->top->depth)
			break;
		*all += !node->lost;
		*known += node->end.usage.cpu;
		if (node->end.usage.cpu)
			sum += node->end.usage.user + node->end.usage.system;
	}
	return sum;
}

/* Processor time, of those of which it is known. */
static void used(const struct why *why, uint64_t took, struct buf *out)
{
	size_t known = 0, all = 0;
	uint64_t cpu = outcome_cpu(why, &known, &all);

	if (!known)
		return;
	buf_puts(out, ", ");
	clock_print(out, cpu);
	buf_puts(out, " of processor time");
	if (known < all)
		buf_printf(out, " (that of %zu is unknown)", all - known);
	if (took)
		buf_printf(out, ", %.1f processors on average", (double)cpu / (double)took);
}

void page_outcome(const struct why *why, struct buf *out)
{
	const struct story *s = &why->story;
	uint64_t took = story_end(s, why->top) - story_start(s, why->top);

	page_process(out, why->top, 4 * COMMAND_MAX);
	buf_puts(out, ": ");
	page_end_of(out, why->top);
	buf_puts(out, " after ");
	clock_print(out, took);
	buf_printf(out, ", %zu process%s", why->busy.processes, why->busy.processes == 1 ? "" : "es");
	if (why->busy.known && took)
		buf_printf(out, ", %.1f of them busy on average", (double)why->busy.time / (double)took);
	used(why, took, out);
	buf_putc(out, '\n');
	if (why->others.len) {
		size_t n = why->others.len > COMMAND_MAX ? COMMAND_MAX : why->others.len;

		while (why->others.data[n] && why->others.data[n] != ' ')
			n--;
		buf_printf(out, "  others fit, too, and can be chosen by --pid:%.*s%s\n", (int)n, why->others.data,
		           n < why->others.len ? " ..." : "");
	}
}
