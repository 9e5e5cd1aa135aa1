/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "idle.h"

#include <exectrace/base/clock.h>
#include <sys/time.h>

#define IDLE_MS 100 /* what was held back is shown after that */

void idle_arm(struct idle *idle, const struct call_sink *sink, uint64_t due)
{
	/* Again and again: it may go off while something else than the wait is under way. */
	const struct timeval after = {.tv_usec = IDLE_MS * 1000};
	struct itimerval timer = {after, after};
	uint64_t now = due ? clock_now() : 0;

	if (due && due < now + IDLE_MS * NS_PER_MS)
		timer.it_value.tv_usec = due > now ? (suseconds_t)((due - now) / NS_PER_US + 1) : 1;
	if (due || (!idle->armed && sink->held))
		idle->armed = setitimer(ITIMER_REAL, &timer, NULL) == 0;
}

bool idle_is_due(struct idle *idle, const struct call_sink *sink)
{
	uint64_t now = sink->held ? clock_now() : 0;

	if (!sink->held || now - idle->shown < IDLE_MS * NS_PER_MS)
		return false;
	idle->shown = now;
	return true;
}

int idle_over(struct idle *idle, struct call_sink *sink)
{
	const struct itimerval none = {0};
	int err = sink->idle(sink);

	if (!sink->held)
		idle->armed = setitimer(ITIMER_REAL, &none, NULL) != 0;
	return err;
}
