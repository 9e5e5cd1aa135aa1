/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The traced threads by number. */
#ifndef EXECTRACE_RECORD_CALLS_THREADS_H
#define EXECTRACE_RECORD_CALLS_THREADS_H

#include <exectrace/record/calls/call.h>

#define THREADS_BUCKETS 1024u

struct threads {
	struct thread *bucket[THREADS_BUCKETS];
	size_t count;
};

/* The thread, NULL when it is not known. */
struct thread *threads_find(struct threads *threads, pid_t tid);

/* The process of a thread that is not known yet, by /proc; the thread itself when it is gone. */
pid_t threads_group_of(pid_t tid);

/* A new entry. NULL without memory. */
struct thread *threads_add(struct threads *threads, pid_t tid);

/* Gives an entry another number, under which none is known. */
void threads_rename(struct threads *threads, struct thread *thread, pid_t tid);

/* Frees an entry. */
void threads_remove(struct threads *threads, struct thread *thread);

/* Frees all entries. */
void threads_clear(struct threads *threads);

#endif
