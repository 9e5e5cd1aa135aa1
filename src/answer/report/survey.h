/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind analyze/survey.h share. */
#ifndef EXECTRACE_SRC_ANSWER_REPORT_SURVEY_H
#define EXECTRACE_SRC_ANSWER_REPORT_SURVEY_H

#include <exectrace/answer/recording/pool.h>
#include <exectrace/answer/report/survey.h>

#define NO_LANE UINT32_MAX
#define PHASES 8 /* functions with which one may begin */

/* When these functions were first called; 0: not yet. */
struct phases {
	uint64_t first[PHASES];
};

struct survey {
	struct calltree *paths;
	struct activity *activity; /* NULL: not begun */
	bool guest, sampled;
	struct survey_span *spans;
	size_t n_spans, cap_spans;
	struct pool texts; /* of spans */
	/* of system calls and samples */
	struct calltree_stacks *stacks[CALLTREE_SIDES]; /* NULL: not begun */
	uint32_t *lanes;                                /* by the number of the thread */
	size_t n_lanes;
};

/* Adds a span; the shortest ones go when there are too many. 0 or -ENOMEM. */
int survey_add_span(struct survey *s, const struct survey_span *span);

/* --- survey_phases.c -----------------------------------------------------------------------------------------------
 */

/* enum survey_guest_kind of what a function does. */
unsigned survey_kind_of(const struct replay_function *f);

/* A phase may begin with a function; it was called now. */
bool survey_begins_phase(const char *function);
void survey_note_phase(struct phases *p, const char *function, uint64_t now);

/* Adds the phases of a recording that began then, once its activity is known. 0 or -ENOMEM. */
int survey_add_phases(struct survey *s, const struct phases *p, uint64_t began);

/* --- survey.c ------------------------------------------------------------------------------------------------------
 */

/* Sees to it that there are lanes, for what begins then. 0 or -ENOMEM. */
int survey_begin(struct survey *s, uint64_t start);

#endif
