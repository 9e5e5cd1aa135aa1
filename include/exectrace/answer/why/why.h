/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a recorded run failed, and why it took so long: one page that joins what was recorded of its processes. What it
 * says is in the recording; where that says nothing, the page says so, and how to record it.
 */
#ifndef EXECTRACE_ANSWER_WHY_WHY_H
#define EXECTRACE_ANSWER_WHY_WHY_H

#include <exectrace/answer/recording/recording.h>

struct why;

/* What to look at; all 0: COMMAND. */
struct why_options {
	/* The first process that fits all of them, and what is below it: */
	uint32_t pid;      /* 0: any */
	const char *cmd;   /* as of struct process_select; NULL: any */
	const char *under; /* the same */
	bool picked;       /* a rule picked it */
};

/*
 * Reads a recording that was not read from yet. *ret is set on success only. 0; -ENOMEM; with a line in err -ENOENT
 * when there are no processes, or not the one asked for, -EINVAL when an expression is none, -errno when it cannot be
 * read again.
 */
int why_new(struct why **ret, struct recording *r, const struct why_options *options, struct buf *err);

/* NULL is allowed. */
void why_free(struct why *why);

/* Adds the page. 0 or -ENOMEM. */
int why_text(const struct why *why, struct buf *out);

/* Adds it as one JSON object; times in ns since the run began. 0 or -ENOMEM. */
int why_json(const struct why *why, struct buf *out);

/*
 * Adds where two runs of the same command part: the first difference, and what followed. good, bad: not read from yet.
 * options: cmd and under say from which process on. 0; -ENOMEM; -ENOENT, -EINVAL with a line in err as why_new.
 */
int why_difference(struct buf *out, struct recording *good, struct recording *bad, const struct why_options *options,
                   struct buf *err);

#endif
