/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind answer/calltree/overview.h share. */
#ifndef EXECTRACE_SRC_ANSWER_CALLTREE_OVERVIEW_H
#define EXECTRACE_SRC_ANSWER_CALLTREE_OVERVIEW_H

#include <exectrace/answer/calltree/overview.h>
#include <exectrace/answer/recording/pool.h>

#define NO_LANE UINT32_MAX
#define PHASES 8 /* functions with which one may begin */

/* When these functions were first called; 0: not yet. */
struct phases {
	uint64_t first[PHASES];
};

struct overview {
	struct calltree *paths;
	struct lanes *activity; /* NULL: not begun */
	bool guest, sampled;
	struct overview_span *spans;
	size_t n_spans, cap_spans;
	struct pool texts; /* of spans */
	/* of system calls and samples */
	struct calltree_stacks *stacks[CALLTREE_SIDES]; /* NULL: not begun */
	uint32_t *lanes;                                /* by the number of the thread */
	size_t n_lanes;
};

/* Adds a span; the shortest ones go when there are too many. 0 or -ENOMEM. */
int overview_add_span(struct overview *s, const struct overview_span *span);

/* --- overview_phases.c -----------------------------------------------------------------------------------------------
 */

/* A phase may begin with a function; it was called now. */
bool overview_begins_phase(const char *function);
void overview_note_phase(struct phases *p, const char *function, uint64_t now);

/* Adds the phases of a recording that began then, once its activity is known. 0 or -ENOMEM. */
int overview_add_phases(struct overview *s, const struct phases *p, uint64_t began);

/* --- overview.c ------------------------------------------------------------------------------------------------------
 */

/* Sees to it that there are lanes, for what begins then. 0 or -ENOMEM. */
int overview_begin(struct overview *s, uint64_t start);

#endif
