/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "polling.h"

#include <exectrace/base/clock.h>

#define LONGEST (100 * NS_PER_US) /* of looking, until it sleeps after all */
#define TRIAL 32u                 /* waits until looking is judged first, and those without that it is compared with */
#define ROW_FIRST 512u            /* ... and from then on */
#define ROW_LAST 8192u
#define PAUSE_FIRST 1024u /* waits without, after it was no good */
#define PAUSE_LAST (1u << 16)
#define PAUSE_GROWS 4u

static void begin(struct polling *spin, bool on, unsigned length, uint64_t wall, uint64_t worked)
{
	spin->on = on;
	spin->length = length;
	spin->waits = spin->found = 0;
	spin->took = spin->stops = 0;
	spin->wall = spin->last = wall;
	spin->worked = worked;
}

void polling_init(struct polling *spin, unsigned processors, uint64_t wall, uint64_t worked)
{
	*spin = (struct polling){.pause = PAUSE_FIRST, .row = ROW_FIRST};
	if (processors > 1)
		begin(spin, false, TRIAL, wall, worked);
}

bool polling_waited(struct polling *spin, bool found, uint64_t wall)
{
	uint64_t since = wall - spin->last;

	spin->last = wall;
	spin->took += since < LONGEST ? since : LONGEST; /* the rest is the program's, and the same in any row */
	spin->found += found;
	return ++spin->waits == spin->length;
}

void polling_stops(struct polling *spin, size_t n)
{
	spin->stops += n;
}

static uint64_t of_a_stop(const struct polling *spin)
{
	return spin->stops ? spin->took / spin->stops : 0;
}

/* That it takes less time with looking than without, and not by chance. */
static bool was_quicker(const struct polling *spin)
{
	uint64_t took = of_a_stop(spin);

	return took + took / 16 <= spin->asleep;
}

/*
 * Three of four waits ended while looking, the thread had its processor for three quarters of the time, and a stop took
 * less time.
 */
static bool was_good(const struct polling *spin, uint64_t wall, uint64_t worked)
{
	return 4 * spin->found >= 3 * spin->waits && 4 * (worked - spin->worked) >= 3 * (wall - spin->wall) &&
	       was_quicker(spin);
}

static void was_no_good(struct polling *spin, uint64_t wall, uint64_t worked)
{
	begin(spin, false, spin->pause, wall, worked);
	spin->pause = spin->pause < PAUSE_LAST / PAUSE_GROWS ? spin->pause * PAUSE_GROWS : PAUSE_LAST;
	spin->row = ROW_FIRST;
}

void polling_judge(struct polling *spin, uint64_t wall, uint64_t worked)
{
	if (!spin->on) {
		spin->asleep = of_a_stop(spin);
		begin(spin, true, TRIAL, wall, worked);
	} else if (!was_good(spin, wall, worked)) {
		was_no_good(spin, wall, worked);
	} else if (spin->length == TRIAL) { /* it can be lucky, and says nothing of how long to pause */
		begin(spin, true, spin->row, wall, worked);
	} else {
		if (spin->pause > PAUSE_FIRST)
			spin->pause /= 2;
		if (spin->row < ROW_LAST)
			spin->row *= 2;
		begin(spin, false, TRIAL, wall, worked);
	}
}

/* 1: a stop was there before it was too long. */
static int look(struct wait_event *ev)
{
	uint64_t last = clock_now() + LONGEST;
	int got = 0;

	do
		got = wait_next(ev);
	while (!got && clock_now() < last);
	return got;
}

int polling_wait(struct polling *spin, int (*sleep)(struct wait_event *), struct wait_event *ev)
{
	int got = spin->on ? look(ev) : 0;
	int err = got < 0 ? got : 0;
	uint64_t now;

	if (!got)
		err = sleep(ev);
	now = clock_now();
	if (polling_waited(spin, got > 0, now))
		polling_judge(spin, now, clock_worked());
	return err;
}
