/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stops at the entries and ends of calls, and the calls that are told of there. */
#ifndef EXECTRACE_SRC_RECORD_STOPS_CALL_STOPS_H
#define EXECTRACE_SRC_RECORD_STOPS_CALL_STOPS_H

#include "source.h"

/* The thread is stopped at the entry or the end of a call. */
void call_stops_take(struct stops *s, struct thread *thread);

/*
 * It has just been attached to, stopped, in a call that will go on by restart_syscall(2), of whose arguments nothing is
 * to be seen any more: with config->interrupted it is told of as one that a stop has interrupted.
 */
void call_stops_interrupted(struct stops *s, struct thread *thread);

#endif
