/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chrome's trace events as JSON, for chrome://tracing, Perfetto, speedscope and others. Source: "Trace Event Format",
 * which the Chromium project publishes. Slices are complete events (ph X), in us with three decimals.
 */
#ifndef EXECTRACE_ANSWER_FORMAT_CHROME_H
#define EXECTRACE_ANSWER_FORMAT_CHROME_H

#include <exectrace/answer/format/tracks.h>

/* Tracks in this format, appended to out, which has to stay. *ret is set on success only. 0 or -ENOMEM. */
int chrome_new(struct tracks **ret, struct buf *out);

#endif
