/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/clock.h>

#include <stdbool.h>
#include <time.h>

#define S_PER_MIN 60
#define S_PER_HOUR 3600

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts = {0};

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t clock_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t clock_worked(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t clock_process(pid_t pid)
{
	clockid_t id = 0;

	return clock_getcpuclockid(pid, &id) ? 0 : read_clock(id);
}

/* ns / div, rounded; cannot overflow. */
static uint64_t divide(uint64_t ns, uint64_t div)
{
	return ns / div + (ns % div >= (div + 1) / 2);
}

/* A unit in which durations that round to less than `limit` of it are printed. */
struct unit {
	const char *name;
	uint64_t ns;
	unsigned limit;
};

static const struct unit units[] = {
	{"us", 1000, 1000},
	{"ms", NS_PER_MS, 1000},
	{"s", NS_PER_S, S_PER_MIN},
};

/* Digits are counted after rounding, or 9.999 would come out as 10.00. */
static int print_in(struct buf *out, uint64_t ns, const struct unit *unit)
{
	uint64_t hundredths = divide(ns, unit->ns / 100), tenths = divide(ns, unit->ns / 10);

	if (hundredths < 1000)
		return buf_printf(out, "%u.%02u%s", (unsigned)hundredths / 100, (unsigned)hundredths % 100, unit->name);
	if (tenths < 1000)
		return buf_printf(out, "%u.%u%s", (unsigned)tenths / 10, (unsigned)tenths % 10, unit->name);
	return buf_printf(out, "%u%s", (unsigned)divide(ns, unit->ns), unit->name);
}

/* Below 100 three digits show tenths, so it is the tenths that must not round up to the limit. */
static bool fits(uint64_t ns, const struct unit *unit)
{
	if (unit->limit < 100)
		return divide(ns, unit->ns / 10) < (uint64_t)unit->limit * 10;
	return divide(ns, unit->ns) < unit->limit;
}

int clock_print(struct buf *out, uint64_t ns)
{
	uint64_t s = divide(ns, NS_PER_S), m = divide(ns, S_PER_MIN * NS_PER_S);

	if (ns < 1000)
		return buf_printf(out, "%uns", (unsigned)ns);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (fits(ns, &units[i]))
			return print_in(out, ns, &units[i]);
	if (s < S_PER_HOUR)
		return buf_printf(out, "%um%02us", (unsigned)(s / S_PER_MIN), (unsigned)(s % S_PER_MIN));
	return buf_printf(out, "%lluh%02um", (unsigned long long)(m / 60), (unsigned)(m % 60));
}
