/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a long work has come, as one line on standard error that goes away again: only on a terminal, only when the
 * work takes more than a second, and not any more once there is output.
 */
#ifndef EXECTRACE_ANSWER_OUTPUT_PROGRESS_H
#define EXECTRACE_ANSWER_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool wanted;    /* it is a terminal, and there is no output yet */
	bool visible;   /* the line is there */
	uint64_t begun; /* ns of CLOCK_MONOTONIC */
	uint64_t shown; /* the same, of the line */
};

/* Begins the work. */
void progress_begin(struct progress *p);

/* `done` of `total` is done; ctx: struct progress. Cheap, but not for each record. */
void progress_tell(void *ctx, uint64_t done, uint64_t total);

/* Takes the line away; nothing is shown any more. ctx: struct progress. */
void progress_end(void *ctx);

#endif
