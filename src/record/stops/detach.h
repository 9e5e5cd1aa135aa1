/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of tracing while the traced run on. */
#ifndef EXECTRACE_SRC_RECORD_STOPS_DETACH_H
#define EXECTRACE_SRC_RECORD_STOPS_DETACH_H

#include "source.h"

/*
 * Detaches from all threads of s, which run on, and forgets them. Those that run are asked to stop; one that stops is
 * let go. One that does not for a second, because it waits where no signal reaches it (for a child of vfork(2), for a
 * device), is let go by the end of the calling process, which has to be soon.
 */
void detach_all(struct stops *s);

/* At the end of an execve: lets go of the process if that is asked for (stops_config.until_exec). False: it is not. */
bool detach_at_exec(struct stops *s, struct thread *thread);

/* Tells the sink of those that are left, and forgets them. */
void detach_forget(struct stops *s);

#endif
