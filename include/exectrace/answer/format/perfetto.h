/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perfetto's trace format: a file of packets in Protocol Buffers, for ui.perfetto.dev and trace_processor. Source: the
 * schema that Perfetto publishes (protos/perfetto/trace). Names that recur are written once, numbers stand for them.
 */
#ifndef EXECTRACE_ANSWER_FORMAT_PERFETTO_H
#define EXECTRACE_ANSWER_FORMAT_PERFETTO_H

#include <exectrace/answer/format/tracks.h>

/* Tracks in this format, appended to out, which has to stay. *ret is set on success only. 0 or -ENOMEM. */
int perfetto_new(struct tracks **ret, struct buf *out);

#endif
