/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When waiting without sleep goes on, and when it is given up: the clocks are the test's. */
#include "src/record/stops/polling.h"
#include "tap.h"
#include <exectrace/base/clock.h>

/*
 * Waits to the end of the row; found: of a hundred, end while looking; share: of the time at work, in percent; us: from
 * one stop to the next.
 */
static unsigned row_of(struct polling *spin, unsigned found, unsigned share, unsigned us)
{
	uint64_t from = spin->wall, now = from;
	bool ends = false;
	unsigned n = 0;

	while (!ends) {
		now += us * NS_PER_US;
		ends = polling_waited(spin, n++ % 100 < found, now);
		polling_stops(spin, 1);
	}
	polling_judge(spin, now, spin->worked + (now - from) * share / 100);
	return n;
}

static unsigned row(struct polling *spin, unsigned found, unsigned share)
{
	return row_of(spin, found, share, spin->on ? 10 : 20);
}

/* Of rows: what they cost decides. */
static void compared(void)
{
	struct polling spin;

	polling_init(&spin, 2, 0, 0);
	(void)row_of(&spin, 0, 50, 10);
	(void)row_of(&spin, 100, 100, 20); /* each stop is found, at twice the time of one for which it sleeps */
	CHECK(!spin.on);

	polling_init(&spin, 2, 0, 0);
	(void)row_of(&spin, 0, 50, 20);
	(void)row_of(&spin, 100, 100, 10);
	CHECK(spin.on);
	(void)row_of(&spin, 100, 100, 10);
	CHECK(!spin.on); /* is it still so? */
	(void)row_of(&spin, 0, 50, 5);
	(void)row_of(&spin, 100, 100, 10);
	CHECK(!spin.on); /* it is not */

	polling_init(&spin, 2, 0, 0);
	(void)row_of(&spin, 0, 50, 60); /* what the program does between its calls is in both */
	(void)row_of(&spin, 100, 100, 50);
	CHECK(spin.on);
	(void)row_of(&spin, 100, 100, 59); /* hardly less */
	CHECK(!spin.on);
}

static void one_processor(void)
{
	struct polling spin;
	unsigned judged = 0;

	polling_init(&spin, 1, 0, 0); /* the tracee has to run somewhere */
	CHECK(!spin.on);
	for (unsigned i = 0; i < 5000; i++)
		judged += polling_waited(&spin, false, i);
	CHECK_INT(judged, 0);
}

int main(void)
{
	struct polling spin;
	unsigned trial = 0, full = 0, first = 0, again = 0, longest = 0;

	one_processor();
	compared();
	polling_init(&spin, 2, 0, 0);
	trial = row(&spin, 0, 0);
	CHECK(spin.on);
	CHECK_INT(row(&spin, 100, 100), trial);
	full = row(&spin, 100, 100);
	CHECK(!spin.on && full > trial);
	CHECK_INT(row(&spin, 0, 0), trial); /* what it would take otherwise */
	CHECK_INT(row(&spin, 100, 100), trial);
	CHECK(row(&spin, 100, 100) > full); /* the longer it is good, the less often that is asked */
	(void)row(&spin, 0, 0);
	(void)row(&spin, 100, 100);
	CHECK(spin.on);

	(void)row(&spin, 50, 100); /* stops come late */
	CHECK(!spin.on);
	first = row(&spin, 0, 0);
	CHECK(spin.on && first > full);
	CHECK_INT(row(&spin, 100, 50), trial); /* another has the processor half of the time */
	CHECK(!spin.on);
	again = row(&spin, 0, 0);
	CHECK(again > first);

	CHECK_INT(row(&spin, 100, 100), trial); /* a lucky trial does not shorten the pauses */
	CHECK_INT(row(&spin, 0, 100), full);
	CHECK(row(&spin, 0, 0) > again);

	for (unsigned i = 0; i < 30; i++) {
		(void)row(&spin, 0, 0);
		longest = row(&spin, 0, 0);
	}
	(void)row(&spin, 0, 0);
	CHECK_INT(row(&spin, 0, 0), longest); /* there is a longest */
	for (unsigned i = 0; i < 90; i++)
		(void)row(&spin, 100, 100);
	while (!spin.on)
		(void)row(&spin, 0, 0);
	(void)row(&spin, 0, 0);
	CHECK_INT(row(&spin, 0, 0), first); /* it was good for long */
	return TAP_DONE();
}
