/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that are counted in place of being recorded. */
#include "agent.h"

int agent_count_begin(struct area *area)
{
	struct tally *tally = area_tally(area);
	uint16_t *row = &tally->row_of[area->rax % INSIDE_CALLS];

	if (!*row && tally->used < TALLY_ROWS)
		*row = (uint16_t)++tally->used;
	return *row;
}

void agent_count_end(struct area *area, uint64_t now, int failed)
{
	const struct control *control = (const struct control *)INSIDE_DATA;
	const uint64_t ns = (uint64_t)((unsigned __int128)(now - area->began) * control->ns_per_tick >> 32);
	struct tally *tally = area_tally(area);
	uint32_t n = tally->row_of[area->rax % INSIDE_CALLS];
	const struct call_counts *row;

	if (!n || n > TALLY_ROWS)
		return;
	row = &tally->rows[n - 1];
	tally->next = row->sums;
	tally->class = counts_class(ns);
	tally->in_class = row->classes[tally->class];
	if (failed || control->counting != COUNT_FAILED) {
		sums_add(&tally->next, ns, control->counting == COUNT_FAILED ? row->sums.errors : row->sums.count);
		tally->in_class++;
	}
	tally->next.count++;
	tally->next.errors += failed != 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&tally->settling, n, __ATOMIC_RELEASE);
	tally_settle(area);
}
