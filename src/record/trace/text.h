/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that writes text in the layout of `strace -f -y -ttt -T`. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_TEXT_H
#define EXECTRACE_SRC_RECORD_TRACE_TEXT_H

#include "writer.h"

/* A new sink; config.paths must stay. NULL without memory. */
struct call_sink *text_sink(const struct writer_config *config);

#endif
