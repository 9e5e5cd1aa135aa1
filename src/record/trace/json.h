/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that writes JSON Lines: one object a call, whole, when it has ended; signals and ends of threads likewise. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_JSON_H
#define EXECTRACE_SRC_RECORD_TRACE_JSON_H

#include "writer.h"

/* A new sink; config.paths must stay. NULL without memory. */
struct call_sink *json_sink(const struct writer_config *config);

#endif
