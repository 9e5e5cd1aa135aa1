/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes and their cells: against a count of each tick, while time gets longer and goes back. */
#include "tap.h"

#include <exectrace/answer/replay/lanes.h>
#include <stdlib.h>

#define TICKS 40000u
#define KINDS 3u
#define LANES 3u

static unsigned char model[LANES][KINDS][TICKS];

static uint64_t seed = 7;

static uint64_t noise(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* Cells that are not what the ticks in them say. */
static unsigned wrong(const struct lanes *a, uint32_t number)
{
	const struct lanes_lane *lane = lanes_at(a, number);
	uint64_t width = lanes_width(a);
	unsigned bad = 0;

	for (uint32_t cell = 0; cell < ACTIVITY_CELLS; cell++)
		for (unsigned kind = 0; kind < KINDS; kind++) {
			bool is = cell >= lane->first && cell - lane->first < lane->n;
			uint64_t sum = 0;

			for (uint64_t t = cell * width; t < (cell + 1) * width && t < TICKS; t++)
				sum += model[number][kind][t];
			bad += sum != (is ? lane->cells[(size_t)(cell - lane->first) * ACTIVITY_KINDS + kind] : 0);
		}
	return bad;
}

static void test_noise(void)
{
	struct lanes *a = lanes_new(1000);
	uint64_t reach = 10;
	uint32_t lane;

	for (uint32_t i = 0; i < LANES; i++)
		CHECK(lanes_lane(a, 0, i, 0, &lane) == 0 && lane == i);
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t from, to;
		unsigned kind = (unsigned)noise(KINDS);

		lane = (uint32_t)noise(LANES);
		reach += noise(reach / 64 + 2);
		reach = reach < TICKS ? reach : TICKS;
		from = noise(reach);
		to = from + noise(reach - from + 1);
		to = to - from > 300 ? from + 300 : to;
		for (uint64_t t = from; t < to; t++)
			model[lane][kind][t]++;
		if (lanes_add(a, lane, kind, 1000 + from, 1000 + to))
			CHECK(false);
	}
	CHECK(lanes_width(a) >= 32);
	for (uint32_t i = 0; i < LANES; i++)
		CHECK_INT(wrong(a, i), 0);
	lanes_free(a);
}

static void test_edges(void)
{
	struct lanes *a = lanes_new(100);
	uint32_t lane, other;

	CHECK_INT(lanes_lane(a, 1, 5, 6, &lane), 0);
	CHECK_INT(lanes_lane(a, 2, 7, 8, &other), 0);
	CHECK_INT(lanes_add(a, lane, 0, 50, 90), 0);
	CHECK_INT(lanes_at(a, lane)->n, 0);
	CHECK_INT(lanes_add(a, lane, 0, 50, 103), 0);
	CHECK_INT(lanes_at(a, lane)->sums[0], 3);
	CHECK_INT(lanes_at(a, lane)->from, 100);
	CHECK_INT(lanes_add(a, lane, 7, UINT64_MAX - 10, UINT64_MAX), 0);
	CHECK_INT(lanes_at(a, lane)->sums[7], 10);
	CHECK_INT(lanes_at(a, lane)->cells[0], 3);
	CHECK_INT(lanes_at(a, other)->n, 0);
	CHECK_INT(lanes_name(a, lane, 1, "x"), 0);
	CHECK_INT(lanes_name(a, lane, 2, "x"), 0);
	CHECK_INT(lanes_name(a, lane, 3, "y"), 0);
	CHECK_INT(lanes_at(a, lane)->n_names, 2);
	for (unsigned i = 0; i < 2 * ACTIVITY_LANES; i++)
		(void)lanes_lane(a, 1, i, 0, &lane);
	CHECK_INT(lanes_count(a), ACTIVITY_LANES);
	CHECK_INT(lane, ACTIVITY_LANES - 1);
	lanes_free(a);
	lanes_free(NULL);
}

int main(void)
{
	test_noise();
	test_edges();
	return TAP_DONE();
}
