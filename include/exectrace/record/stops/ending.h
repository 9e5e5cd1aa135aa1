/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGINT, SIGTERM and SIGHUP ask the tracer to end. None is lost when it comes just before a wait: a timer ends that
 * one, and all others, from then on. When the tracer has not ended after two seconds, because it may wait for the
 * reader of its output, or for a thread that does not stop, it dies of the signal; so it does of a second one. The
 * kernel lets its threads run then, or the guard takes them (record/seccomp/guard.h).
 */
#ifndef EXECTRACE_RECORD_STOPS_ENDING_H
#define EXECTRACE_RECORD_STOPS_ENDING_H

#include <signal.h>

/* From now on. These signals and SIGALRM end each wait. 0 or -errno. */
int ending_prepare(void);

/* Not 0 when the tracer was asked to end. */
const volatile sig_atomic_t *ending_asked(void);

/* Ends the process by the signal that asked for it, if one did. */
void ending_finish(void);

#endif
