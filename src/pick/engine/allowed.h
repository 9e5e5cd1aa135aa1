/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a call that we would make inside a process is one that its seccomp filters allow. */
#ifndef EXECTRACE_SRC_PICK_ENGINE_ALLOWED_H
#define EXECTRACE_SRC_PICK_ENGINE_ALLOWED_H

#include <exectrace/target/tracee/park.h>
#include <stdbool.h>

/* What is known beforehand. */
struct allowed {
	unsigned base; /* filters that each process of the tree has: those that we were started with */
	bool free;     /* those that we were started with allow what we do: it was tried */
};

/* Looks at this process, which the tree descends from; where it has filters, a child tries the calls. */
void allowed_init(struct allowed *allowed);

/*
 * True when the call that a planned park, or injection, makes is sure to be allowed. The thread is stopped and traced
 * by us. Filters of its own must be read for it, which takes CAP_SYS_ADMIN: what cannot be known is not allowed.
 * notified: it has our filter, too, to which an execve has to come.
 */
bool allowed_call(const struct allowed *allowed, const struct park *park, bool notified);

#endif
