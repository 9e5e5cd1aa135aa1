/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that the agent counts (layout.h): how it is told to, and what became of it. */
#include "private.h"

#include <exectrace/base/clock.h>
#include <string.h>
#include <time.h>

#define CLOCKS_NS (2 * NS_PER_MS) /* between two looks at both clocks, from which is known how they run, at least */

void count_prepare(struct inside *inside, struct data *data)
{
	struct control *control = data_control(data);
	struct timespec rest = {0, (long)CLOCKS_NS};

	if (inside->config->counting == COUNT_NONE)
		return;
	if (clock_now() - inside->first_ns < CLOCKS_NS)
		(void)nanosleep(&rest, NULL);
	drain_read_clocks(inside);
	control->ns_per_tick = (uint64_t)(inside->ns_per_tick * 4294967296.0);
	control->counting = inside->config->counting;
}

void count_settle(const struct inside_thread *thread)
{
	if (thread->area && thread->inside->config->counting != COUNT_NONE)
		tally_settle(data_area(thread->space->data, thread->area));
}

void count_tell(struct inside_thread *thread)
{
	const struct inside_config *config = thread->inside->config;
	struct area *area = thread->area ? data_area(thread->space->data, thread->area) : NULL;
	struct tally *tally = area ? area_tally(area) : NULL;

	if (!area || config->counting == COUNT_NONE || thread->counted)
		return;
	for (uint32_t nr = 0; nr < INSIDE_CALLS; nr++) {
		const unsigned n = tally->row_of[nr];

		if (n && n <= TALLY_ROWS && tally->rows[n - 1].sums.count)
			config->counted(config->user, nr, &tally->rows[n - 1]);
	}
	thread->counted = true;
}

void count_clear(const struct inside_thread *thread, struct area *area)
{
	struct tally *tally = area_tally(area);
	const size_t used = tally->used < TALLY_ROWS ? tally->used : TALLY_ROWS;

	if (thread->inside->config->counting != COUNT_NONE)
		memset(tally, 0, sizeof(*tally) + used * sizeof(tally->rows[0]));
}

void inside_tell_counts(struct inside *inside)
{
	for (struct inside_thread *thread = inside->threads; thread; thread = thread->next)
		count_tell(thread);
}
