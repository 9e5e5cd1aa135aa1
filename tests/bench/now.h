/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef EXECTRACE_TESTS_BENCH_NOW_H
#define EXECTRACE_TESTS_BENCH_NOW_H

#include <time.h>

/* CLOCK_MONOTONIC in seconds. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
