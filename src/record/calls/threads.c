/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/calls/threads.h>

#include <exectrace/record/inside/inside.h>
#include <exectrace/target/process/procfs.h>
#include <stdlib.h>

static struct thread **bucket_of(struct threads *threads, pid_t tid)
{
	return &threads->bucket[(unsigned)tid % THREADS_BUCKETS];
}

struct thread *threads_find(struct threads *threads, pid_t tid)
{
	struct thread *thread = *bucket_of(threads, tid);

	while (thread && thread->tid != tid)
		thread = thread->next;
	return thread;
}

pid_t threads_group_of(pid_t tid)
{
	struct proc_status status;

	return proc_status(tid, &status) ? tid : status.tgid;
}

static void link_in(struct threads *threads, struct thread *thread)
{
	struct thread **bucket = bucket_of(threads, thread->tid);

	thread->next = *bucket;
	*bucket = thread;
	threads->count++;
}

static void link_out(struct threads *threads, struct thread *thread)
{
	struct thread **at = bucket_of(threads, thread->tid);

	while (*at != thread)
		at = &(*at)->next;
	*at = thread->next;
	threads->count--;
}

struct thread *threads_add(struct threads *threads, pid_t tid)
{
	struct thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->tid = tid;
	link_in(threads, thread);
	return thread;
}

void threads_rename(struct threads *threads, struct thread *thread, pid_t tid)
{
	link_out(threads, thread);
	thread->tid = tid;
	link_in(threads, thread);
}

void threads_remove(struct threads *threads, struct thread *thread)
{
	link_out(threads, thread);
	inside_remove(thread->inside);
	injected_release(&thread->injected);
	extras_release(&thread->extras);
	snapshot_release(&thread->memory);
	buf_release(&thread->line);
	buf_release(&thread->plain);
	free(thread);
}

void threads_clear(struct threads *threads)
{
	for (size_t i = 0; i < THREADS_BUCKETS; i++) {
		while (threads->bucket[i])
			threads_remove(threads, threads->bucket[i]);
	}
}
