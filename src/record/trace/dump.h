/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes that calls have read and written, 16 a line: -e read= and -e write=. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_DUMP_H
#define EXECTRACE_SRC_RECORD_TRACE_DUMP_H

#include <exectrace/base/buf.h>
#include <exectrace/record/calls/call.h>
#include <exectrace/record/form/form.h>
#include <exectrace/target/decode/decode.h>

/* True when the bytes of some descriptors are asked for. */
bool dump_is_wanted(const struct trace_form *form);

/* Adds those of a call that has ended just now, whose thread the decoder looks at. 0 or -ENOMEM. */
int dump_call(const struct trace_form *form, const struct decoder *decoder, const struct thread *thread,
              struct buf *out);

#endif
