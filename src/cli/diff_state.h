/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `diff --state` does. */
#ifndef EXECTRACE_SRC_CLI_DIFF_STATE_H
#define EXECTRACE_SRC_CLI_DIFF_STATE_H

#include <exectrace/answer/view/analysis.h>

#define DIFF_OLDER RECORDING_DEFAULT ".old" /* what is compared with when nothing is said */

/* Shows what programs began with: in a->word and a->data, found by a->third. As `run` of struct analysis_command. */
int diff_state_run(struct analysis *a, struct recording *r[ANALYSIS_RECORDINGS], struct buf *err);

#endif
