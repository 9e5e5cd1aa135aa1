/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/page/locks.h>

#define THREADS_MAX 8 /* of a chain */

/* A thread by its number, of the process or else, for locks in shared memory, of any; NULL: there is none. */
static const struct recorded_thread *thread_of(const struct why *why, const struct process_history *p, uint32_t tid)
{
	const struct recording *r = why->story.recording;
	const struct recorded_thread *found = NULL;

	for (size_t i = 0; i < recording_threads(r); i++) {
		const struct recorded_thread *thread = recording_thread(r, i);

		if (thread->tid == tid && (thread->process == p->process || !found))
			found = thread;
	}
	return found;
}

/*
 * The thread that a wait is for. ends: it is to end; else it has the lock. The numbers that a program knows in a pid
 * namespace of its own are others.
 */
static const struct recorded_thread *awaited_by(const struct why *why, const struct process_history *p,
                                                const struct wait *wait, bool *ends)
{
	*ends = !wait->owner;
	return wait->kind == WAIT_FUTEX && (wait->owner || wait->child)
	               ? thread_of(why, p, wait->owner ? wait->owner : wait->child)
	               : NULL;
}

static bool was_there(const struct recorded_thread *const *seen, size_t n, const struct recorded_thread *thread)
{
	while (n && seen[n - 1] != thread)
		n--;
	return n > 0;
}

bool page_locks(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out)
{
	const struct process_history *p = story_history(&why->story, node);
	const struct recorded_thread *seen[THREADS_MAX], *thread;
	bool ends;
	size_t n = 0, locks = 0;

	for (; p && wait && n < THREADS_MAX && (thread = awaited_by(why, p, wait, &ends)); n++) {
		buf_puts(out, n ? ", which waits for " : ", for ");
		if (!ends)
			buf_puts(out, locks++ ? "that of " : "the lock of ");
		buf_printf(out, "thread %u%s", thread->tid, ends ? " to end" : "");
		if (thread->process != p->process) {
			buf_puts(out, " of ");
			page_process_of(why, thread->process->number, out);
			p = history_process(&why->story.history, thread->process->number);
		}
		if (was_there(seen, n, thread)) {
			buf_puts(out, ": a deadlock");
			return true;
		}
		seen[n] = thread;
		wait = thread_last_wait(history_thread(&why->story.history, thread->number), wait->to, true);
	}
	return n > 0;
}
