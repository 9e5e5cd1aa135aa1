/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recordings that a command was given, one after the other: one is open at a time, however many there are. Of
 * several ones, one that cannot be read is named in a line on standard error and left out; the exit status is
 * ANALYSIS_FAILED then.
 */
#ifndef EXECTRACE_ANSWER_VIEW_SEVERAL_H
#define EXECTRACE_ANSWER_VIEW_SEVERAL_H

#include <exectrace/answer/view/analysis.h>

/* Why recordings are left out. */
#define SEVERAL_GUEST "it is of the functions of a guest, and the first one of system calls or samples"
#define SEVERAL_CALLS "it is of system calls or samples, and the first one of the functions of a guest"

struct several {
	struct analysis *analysis;
	const struct recording_options *options; /* how they are opened */
	bool choose;                             /* with analysis_choose, ... */
	bool guests;                             /* ... but where the functions of guests are wanted */
	struct recording **r;                    /* where the one that is open is; analysis_main closes it */
	/* The list, when it is not that of the analysis (data, and more behind it). */
	const char *const *paths;
	size_t n_paths;
	/* private */
	size_t given; /* that were tried */
	size_t read;  /* that were opened */
	int failed;   /* what became of the last one that was not */
};

/* How many were named. */
size_t several_count(const struct several *s);

/*
 * Closes the one that is open and opens the next one that can be read and, with `choose`, has a process that fits. 1
 * and *r set; 0: there is no more; -errno with a line in err: none of them was one, or the only one that was named was
 * none; -ENOMEM.
 */
int several_next(struct several *s, struct recording **r, struct buf *err);

/* Nothing fits in the one that is open: as if several_next had found that, with a line in err. */
void several_unfit(struct several *s);

/* Leaves out the one that is open, because of `what`, which is said; its path may stand in front. Nothing of it was
 * used.
 */
void several_skip(struct several *s, const char *what);

#endif
