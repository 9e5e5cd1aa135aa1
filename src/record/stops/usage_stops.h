/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes use, as it can be seen where each of their threads stops before it ends (PTRACE_EVENT_EXIT): later
 * the memory is gone, and the process itself as soon as its parent likes.
 */
#ifndef EXECTRACE_SRC_RECORD_STOPS_USAGE_STOPS_H
#define EXECTRACE_SRC_RECORD_STOPS_USAGE_STOPS_H

#include <exectrace/record/calls/threads.h>

/* A thread is about to end: adds what it used to what is known of its process. */
void usage_stops_take(struct threads *threads, struct thread *thread);

/* A thread other than the first one executes, and goes on in the first one's place. */
void usage_stops_replace(struct thread *other, const struct thread *first);

/* A process had threads before it was attached to, some may have ended: what those moved is not known. */
void usage_stops_late(struct threads *threads, pid_t pid);

/*
 * A thread has ended, with a status as wait(2) has it. What its process used when it was the last one, the first
 * thread's own; else NULL.
 */
const struct exec_usage *usage_stops_end(struct threads *threads, struct thread *thread, int status);

#endif
