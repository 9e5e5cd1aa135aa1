/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time, in nanoseconds. */
#ifndef EXECTRACE_BASE_CLOCK_H
#define EXECTRACE_BASE_CLOCK_H

#include <exectrace/base/buf.h>
#include <stdint.h>
#include <sys/types.h>

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S 1000000000ull

/* CLOCK_MONOTONIC in ns. */
uint64_t clock_now(void);

/* CLOCK_REALTIME in ns since 1970. */
uint64_t clock_wall(void);

/* CPU time of the calling thread in ns. */
uint64_t clock_worked(void);

/* CPU time that a process has used, in ns (clock_getcpuclockid(3)); 0 when it is gone. */
uint64_t clock_process(pid_t pid);

/*
 * Adds a duration with a unit and three significant digits ("812us", "1.52ms", "3.07s"); from a minute on "4m12s", from
 * an hour on "26h05m". 0 or -ENOMEM.
 */
int clock_print(struct buf *out, uint64_t ns);

#endif
