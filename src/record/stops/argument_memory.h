/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory behind the arguments of a call, copied while its thread is stopped. */
#ifndef EXECTRACE_SRC_RECORD_STOPS_ARGUMENT_MEMORY_H
#define EXECTRACE_SRC_RECORD_STOPS_ARGUMENT_MEMORY_H

#include <exectrace/record/calls/call.h>

/* At a CALL_ENTER or CALL_EXIT, takes the thread's snapshot; at others nothing. 0 or -ENOMEM. */
int argument_memory_take(const struct call_event *event, unsigned string_max);

#endif
