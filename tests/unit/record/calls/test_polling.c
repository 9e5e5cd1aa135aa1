/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When waiting without sleep goes on, and when it is given up: the clocks are the test's. */
#include "src/record/calls/polling.h"
#include "tap.h"

/* Waits to the end of the row; found: of a hundred, end while looking; share: of the time at work, in percent. */
static unsigned row(struct polling *spin, unsigned found, unsigned share)
{
	const uint64_t wall = 1000000;
	unsigned n = 0;

	while (!polling_waited(spin, n++ % 100 < found)) {
	}
	polling_judge(spin, spin->wall + wall, spin->worked + wall * share / 100);
	return n;
}

int main(void)
{
	struct polling spin;
	unsigned trial = 0, full = 0, first = 0, again = 0, longest = 0, judged = 0;

	polling_init(&spin, 1, 0, 0); /* the tracee has to run somewhere */
	CHECK(!spin.on);
	for (unsigned i = 0; i < 5000; i++)
		judged += polling_waited(&spin, false);
	CHECK_INT(judged, 0);

	polling_init(&spin, 2, 0, 0);
	CHECK(spin.on);
	trial = row(&spin, 100, 100);
	full = row(&spin, 100, 100);
	CHECK(spin.on && full > trial);

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
	for (unsigned i = 0; i < 30; i++)
		(void)row(&spin, 100, 100);
	(void)row(&spin, 0, 0);
	CHECK_INT(row(&spin, 0, 0), first); /* it was good for long */
	return TAP_DONE();
}
