/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where processors were, as the samples of a recording tell. */
#ifndef EXECTRACE_ANSWER_CAUSES_SAMPLES_H
#define EXECTRACE_ANSWER_CAUSES_SAMPLES_H

#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/recording.h>

/* What a process did in a function itself. */
struct sampled {
	const struct recorded_function *function;
	const struct recorded_process *process;
	uint64_t time; /* ns on processors */
};

struct samples {
	struct recording *recording; /* that the functions and processes are of */
	struct sampled *items;       /* those with most time first */
	size_t n, cap;
	uint64_t time; /* of all */
};

/* Reads those of the recording that a path names. 0; -errno with a line in err; -ENOMEM. */
int samples_read(struct samples *s, const char *path, struct buf *err);

void samples_release(struct samples *s);

#endif
