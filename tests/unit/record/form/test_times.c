/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which times the options ask for, and how they are written. */
#include "tap.h"

#include <exectrace/base/clock.h>
#include <exectrace/record/form/times.h>

static const char *written(uint64_t ns, enum trace_unit unit)
{
	static char text[TIMES_BYTES + 1];

	return times_write(text + TIMES_BYTES, ns, unit);
}

static void writing(void)
{
	CHECK_STR(written(1234567890, UNIT_S), "1");
	CHECK_STR(written(1234567890, UNIT_MS), "1.234");
	CHECK_STR(written(1234567890, UNIT_US), "1.234567");
	CHECK_STR(written(1234567890, UNIT_NS), "1.234567890");
	CHECK_STR(written(5, UNIT_NS), "0.000000005");
	CHECK_STR(written(UINT64_MAX, UNIT_NS), "18446744073.709551615");
}

static void check_form(const char *words, enum trace_clock clock, enum trace_unit unit)
{
	struct trace_form form = {.strace = true};

	CHECK(times_take(&form, words));
	times_settle(&form);
	CHECK_INT(form.clock, clock);
	CHECK_INT(form.clock_unit, unit);
}

static void words(void)
{
	struct trace_form form = {0};

	check_form(NULL, CLOCK_DAY, UNIT_S);
	check_form("unix", CLOCK_UNIX, UNIT_S);
	check_form("unix,ns", CLOCK_UNIX, UNIT_NS);
	check_form("ms", CLOCK_DAY, UNIT_MS);
	check_form("format:unix,precision:us", CLOCK_UNIX, UNIT_US);
	check_form("precision:us,format:none", CLOCK_NONE, UNIT_US);
	CHECK(!times_take(&form, ""));
	CHECK(!times_take(&form, "uni"));
	CHECK(!times_take(&form, "unixx"));
	CHECK(!times_take(&form, "unix,"));
	CHECK(!times_take(&form, "precision:unix"));
	CHECK(!times_take(&form, "format:ms"));
}

/* -t, -tt, -ttt, and none of them. */
static void letters(void)
{
	struct trace_form form = {0};

	times_settle(&form);
	CHECK_INT(form.clock, CLOCK_UNIX);
	form.relative = true;
	times_settle(&form);
	CHECK_INT(form.clock, CLOCK_NONE);
	times_more(&form);
	CHECK(form.clock == CLOCK_DAY && form.clock_unit == UNIT_S);
	times_more(&form);
	CHECK(form.clock == CLOCK_DAY && form.clock_unit == UNIT_US);
	times_more(&form);
	CHECK(form.clock == CLOCK_UNIX && form.clock_unit == UNIT_US);
	times_more(&form);
	times_settle(&form);
	CHECK(form.clock == CLOCK_UNIX && form.clock_unit == UNIT_US);
}

static void spans(void)
{
	uint64_t ns = 0;

	CHECK(times_span("1", &ns) && ns == NS_PER_US);
	CHECK(times_span("4.5e2ms", &ns) && ns == 450 * NS_PER_MS);
	CHECK(times_span("4.5e-1s", &ns) && ns == 450 * NS_PER_MS);
	CHECK(times_span("456789012ns", &ns) && ns == 456789012);
	CHECK(!times_span("", &ns) && !times_span("ms", &ns) && !times_span("1h", &ns));
	CHECK(!times_span("-1", &ns) && !times_span("1e30s", &ns) && !times_span("nan", &ns));
}

int main(void)
{
	writing();
	words();
	letters();
	spans();
	return TAP_DONE();
}
