/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes behind strings in the text of an argument. */
#ifndef EXECTRACE_ANSWER_CALLS_STRINGS_H
#define EXECTRACE_ANSWER_CALLS_STRINGS_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>

/*
 * Adds what the parts of an argument of readv(2) or writev(2) hold: all bytes that are recorded, one part after the
 * other. text: as call_take_apart has it, `[{iov_base="...", iov_len=3}, ...]` with the escapes of strace(1); of any
 * other text nothing, or what stands in quotes behind iov_base. 0 or -ENOMEM.
 */
int strings_iov(struct buf *out, struct data_text text);

#endif
