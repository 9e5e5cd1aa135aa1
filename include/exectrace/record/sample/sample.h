/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler: a program of its own, exectrace-profile, that has the kernel interrupt the threads of a process at a
 * fixed rate of their processor time (perf_event_open(2), the software event cpu-clock, so no hardware counters are
 * needed) and records where they were. The process is not stopped and not traced.
 */
#ifndef EXECTRACE_RECORD_SAMPLE_SAMPLE_H
#define EXECTRACE_RECORD_SAMPLE_SAMPLE_H

#include <exectrace/record/sample/options.h>

#define SAMPLE_PROGRAM "exectrace-profile" /* what it is called: argv[0] makes it that */

struct sampler;

/* What became of it. */
struct sample_result {
	uint64_t samples;
	uint64_t lost;      /* records that the kernel had no room for */
	uint64_t throttled; /* how often the kernel paused sampling because it took too long */
};

/*
 * Attaches to options->pid, whose threads are sampled from then on, and makes the file. options have to outlive the
 * sampler. *ret is set on success only. 0; -errno with one line in err: without permission it says which sysctl is in
 * the way.
 */
int sampler_open(struct sampler **ret, const struct sample_options *options, struct buf *err);

/* True when functions of the kernel are not seen although they were asked for: that is not permitted. */
bool sampler_without_kernel(const struct sampler *s);

/* kernel.perf_event_paranoid, which decides what is permitted (Documentation/admin-guide/sysctl/kernel.rst). 2 when it
 * cannot be read. */
int sample_paranoid(void);

/*
 * Records until the process and, unless told otherwise, its children have ended, or SIGINT, SIGTERM or SIGHUP asks to
 * let go. 0 with *result filled; -errno with one line in err.
 */
int sampler_run(struct sampler *s, struct sample_result *result, struct buf *err);

/* Frees it. NULL is allowed. */
void sampler_free(struct sampler *s);

#endif
