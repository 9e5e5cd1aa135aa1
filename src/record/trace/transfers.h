/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and writes that tell nothing but how much it was: --for=why records them without what was read or written. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_TRANSFERS_H
#define EXECTRACE_SRC_RECORD_TRACE_TRANSFERS_H

#include <exectrace/record/calls/call.h>
#include <exectrace/target/syscalls/filter.h>
#include <stdbool.h>
#include <stdint.h>

struct transfers {
	struct syscall_filter calls;  /* read and write, by all their names */
	struct syscall_filter copies; /* dup, and close */
};

void transfers_init(struct transfers *t);

/* A call of the thread has returned: it may have made a copy of standard error. */
void transfers_note(const struct transfers *t, struct thread *thread);

/* Its call, which returned at `now` (CLOCK_MONOTONIC, ns), is such a read or write. */
bool transfers_is_plain(const struct transfers *t, const struct thread *thread, uint64_t now);

#endif
