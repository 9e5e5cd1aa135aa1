/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <time.h>
#include <unistd.h>

static const struct {
	uint64_t ns;
	const char *text;
} durations[] = {
	{0, "0ns"},
	{999, "999ns"},
	{1000, "1.00us"},
	{9994, "9.99us"},
	{9995, "10.0us"},
	{99949, "99.9us"},
	{99950, "100us"},
	{812000, "812us"},
	{999499, "999us"},
	{999500, "1.00ms"},
	{1520000, "1.52ms"},
	{12345678, "12.3ms"},
	{999499999, "999ms"},
	{999500000, "1.00s"},
	{3070000000, "3.07s"},
	{59949999999, "59.9s"},
	{59950000000, "1m00s"},
	{60000000000, "1m00s"},
	{252000000000, "4m12s"},
	{3599499999999, "59m59s"},
	{3599500000000, "1h00m"},
	{3600000000000, "1h00m"},
	{95580000000000, "26h33m"},
	{UINT64_MAX, "5124095h35m"},
};

static void printing(void)
{
	for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
		cleanup_buf struct buf out = BUF_INIT;

		CHECK_INT(clock_print(&out, durations[i].ns), 0);
		CHECK_STR(out.data, durations[i].text);
	}
}

static void reading(void)
{
	uint64_t before = clock_now(), wall = clock_wall();
	struct timespec ms = {.tv_nsec = 2000000};

	nanosleep(&ms, NULL);
	CHECK(clock_now() - before >= 2 * NS_PER_MS);
	CHECK(clock_now() - before < 60 * NS_PER_S);
	CHECK(wall / NS_PER_S - (uint64_t)time(NULL) + 60 < 120);
}

static void of_process(void)
{
	uint64_t before = clock_process(getpid());

	while (clock_worked() < 20 * NS_PER_MS)
		;
	CHECK(before > 0 && clock_process(getpid()) >= 20 * NS_PER_MS);
	CHECK_INT(clock_process(1 << 22), 0); /* above any pid (PID_MAX_LIMIT) */
}

int main(void)
{
	of_process();
	printing();
	reading();
	return TAP_DONE();
}
