/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "polling.h"

#include <exectrace/base/clock.h>

#define LONGEST (100 * NS_PER_US) /* of looking, until it sleeps after all */
#define TRIAL 32u                 /* waits until looking is judged first ... */
#define ROW 512u                  /* ... and from then on */
#define PAUSE_FIRST 1024u         /* waits without, after it was no good */
#define PAUSE_LAST (1u << 20)
#define PAUSE_GROWS 4u

static void begin(struct polling *spin, bool on, unsigned length, uint64_t wall, uint64_t worked)
{
	spin->on = on;
	spin->length = length;
	spin->waits = spin->found = 0;
	spin->wall = wall;
	spin->worked = worked;
}

void polling_init(struct polling *spin, unsigned processors, uint64_t wall, uint64_t worked)
{
	*spin = (struct polling){.pause = PAUSE_FIRST};
	if (processors > 1)
		begin(spin, true, TRIAL, wall, worked);
}

bool polling_waited(struct polling *spin, bool found)
{
	spin->found += found;
	return ++spin->waits == spin->length;
}

/* Three of four waits ended while looking, and the thread had its processor for three quarters of the time. */
static bool was_good(const struct polling *spin, uint64_t wall, uint64_t worked)
{
	return 4 * spin->found >= 3 * spin->waits && 4 * (worked - spin->worked) >= 3 * (wall - spin->wall);
}

void polling_judge(struct polling *spin, uint64_t wall, uint64_t worked)
{
	if (!spin->on) {
		begin(spin, true, TRIAL, wall, worked);
	} else if (was_good(spin, wall, worked)) {
		/* A trial can be lucky, and says nothing of how long to pause. */
		if (spin->length == ROW && spin->pause > PAUSE_FIRST)
			spin->pause /= 2;
		begin(spin, true, ROW, wall, worked);
	} else {
		begin(spin, false, spin->pause, wall, worked);
		spin->pause = spin->pause < PAUSE_LAST / PAUSE_GROWS ? spin->pause * PAUSE_GROWS : PAUSE_LAST;
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

	if (!got)
		err = sleep(ev);
	if (polling_waited(spin, got > 0))
		polling_judge(spin, clock_now(), clock_worked());
	return err;
}
