/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ticks of a guest's clock, as they are shown. */
#include <exectrace/answer/output/table.h>

#include <exectrace/base/clock.h>
#include <inttypes.h>

uint64_t ticks_plain(const struct replay_clock *clock, uint64_t ticks)
{
	if (!clock->hz || clock->hz == NS_PER_S)
		return ticks;
	return NS_PER_S % clock->hz == 0 ? ticks * (NS_PER_S / clock->hz)
	                                 : (uint64_t)((double)ticks * (double)NS_PER_S / (double)clock->hz);
}

const char *ticks_unit(const struct replay_clock *clock)
{
	if (clock->hz)
		return "";
	return clock->kind == DATA_CLOCK_BLOCKS ? "blocks" : "instructions";
}

int ticks_print(struct buf *out, const struct replay_clock *clock, uint64_t ticks)
{
	static const char units[] = "kMGTPE";
	double value = (double)ticks / 1000;
	unsigned unit = 0;

	if (clock->hz)
		return clock_print(out, ticks_plain(clock, ticks));
	if (ticks < 1000)
		return buf_printf(out, "%" PRIu64, ticks);
	/* 999.96 would be shown as 1000. */
	for (; value >= 999.5; unit++)
		value /= 1000;
	return buf_printf(out, "%.*f%c", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[unit]);
}
