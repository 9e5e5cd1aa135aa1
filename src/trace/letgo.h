/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of tracing while the traced run on. */
#ifndef EXECTRACE_SRC_TRACE_LETGO_H
#define EXECTRACE_SRC_TRACE_LETGO_H

#include "threads.h"

/* Detaches from all threads, which run on, and forgets them. Those that run are asked to stop; one that stops is let
 * go. */
void letgo_all(struct threads *threads);

#endif
