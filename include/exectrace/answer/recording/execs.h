/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The execs of a run, from execs.jsonl (exectrace(1)): one JSON object a line, in the order in which they ended. */
#ifndef EXECTRACE_ANSWER_RECORDING_EXECS_H
#define EXECTRACE_ANSWER_RECORDING_EXECS_H

#include <exectrace/target/exec/print.h>
#include <exectrace/target/exec/record.h>

/*
 * Called for each exec. The record has what the line says (when: 0; when_wall: of the exec), and is the reader's; end
 * has the time of the end as ns since 1970 in `when`. Bytes that are no UTF-8 have become U+FFFD. 0 to go on, else what
 * execs_read returns.
 */
typedef int execs_fn(void *ctx, const struct exec_record *rec, const struct exec_end *end);

/*
 * Reads a file of execs. A last line without its end, of a run that is not over, is left out. Damaged lines are too,
 * and are told at the end; only one longer than any of ours ends the reading, so an endless one takes little memory and
 * time. 0; -errno, or -EBADMSG, with one line in `why`; -ENOMEM; what fn returned.
 */
int execs_read(const char *path, execs_fn *fn, void *ctx, struct buf *why);

#endif
