/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `diff` does with several recordings on each side. */
#ifndef EXECTRACE_SRC_CLI_DIFF_SETS_H
#define EXECTRACE_SRC_CLI_DIFF_SETS_H

#include <exectrace/answer/sets/sets_table.h>
#include <exectrace/answer/view/guest.h>

struct diff_sets {
	struct analysis *analysis; /* with the recordings of both sides in `more`, those of A in front of `split` */
	struct guest_select *guest;
	struct sets_table table; /* without measures, clock and sides, which are found */
};

/* Reads them, one after the other, and shows what differs. As `run` of struct analysis_command. */
int diff_sets_run(const struct diff_sets *sets, struct recording *r[ANALYSIS_RECORDINGS], struct buf *err);

/*
 * Adds what two recordings, a and analysis->data, differ in that needs no clock, as sets_facts_print, `limit` lines of
 * each sort; nothing when one of them tells nothing of processes. 0 or -ENOMEM.
 */
int diff_sets_facts(struct buf *out, struct analysis *analysis, const char *a, size_t limit);

#endif
