/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread made another one. */
#ifndef EXECTRACE_RECORD_CALLS_THREAD_PARENT_H
#define EXECTRACE_RECORD_CALLS_THREAD_PARENT_H

#include <exectrace/record/calls/threads.h>

/*
 * Fills thread->parent, parent_pid and clone_flags. maker: the thread that made it, as its event tells; NULL when the
 * new one was seen first: then it is looked for among those that are in such a call.
 */
void thread_parent_find(struct threads *threads, struct thread *thread, const struct thread *maker);

#endif
