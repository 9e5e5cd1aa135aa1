/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that counts calls and adds their times up, for a table at the end. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_SUMMARY_H
#define EXECTRACE_SRC_RECORD_TRACE_SUMMARY_H

#include "writer.h"

/*
 * A new sink that writes a table of the calls that config shows to its fd at the end. next: gets all events, too, and
 * is the sink's then; NULL: none. NULL without memory; next stays the caller's.
 */
struct call_sink *summary_sink(const struct writer_config *config, struct call_sink *next);

#endif
