/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads whose calls are recorded in their process (record/inside), among those that stop. */
#ifndef EXECTRACE_SRC_RECORD_STOPS_AGENTS_H
#define EXECTRACE_SRC_RECORD_STOPS_AGENTS_H

#include "source.h"

/* Whether there may be any: then the thread that traces is to be made by inside_run(). */
bool agents_possible(const struct stops_config *config);

/* Begins, if that is asked for and can be. */
void agents_begin(struct stops *s);

/* A new thread, with what is known of how it was made; one that stops for the first time. */
void agents_add(struct stops *s, struct thread *thread, const struct thread *maker);
void agents_start(struct thread *thread);

/* What the rings hold goes to the sink. How many calls. */
long agents_drain(struct stops *s);

/*
 * Waits for stops, draining meanwhile: *n of them, of different threads. Those for a signal stay to be waited for
 * (wait_peek). 0; -EAGAIN: there is none yet; -EINTR: what the sink holds back is to be shown.
 */
int agents_wait(struct stops *s, struct wait_event *batch, size_t max, size_t *n);

/* A stop for a signal. True: it is none for the program. */
bool agents_signal(struct thread *thread, int sig);

/* The end of a call, when all have seen it. */
void agents_ended_call(struct stops *s, struct thread *thread);

/* All threads are about to be stopped, to be let go. */
void agents_end(struct stops *s, struct stops_why *why);

/* They are stopped. */
void agents_let_go(struct stops *s);

#endif
