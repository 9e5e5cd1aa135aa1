/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command says last, and the exit status that goes with it. */
#ifndef EXECTRACE_ANSWER_OUTPUT_OUTPUT_H
#define EXECTRACE_ANSWER_OUTPUT_OUTPUT_H

#include <exectrace/base/buf.h>

/*
 * Writes text to standard output when r, the result of making it, is 0. The exit status: 0, or RUN_FAILED after a line
 * on standard error.
 */
int output_text(const struct buf *text, int r);

/* Says what failed: the line in err, or what r (-errno) means when there is none. RUN_FAILED. */
int output_error(const struct buf *err, int r);

#endif
