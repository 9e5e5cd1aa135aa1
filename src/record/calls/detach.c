/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detach.h"

#include <exectrace/base/clock.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/ptrace.h>
#include <exectrace/target/tracee/restart.h>
#include <exectrace/target/tracee/wait.h>
#include <time.h>

#define PATIENCE_NS NS_PER_S

static void let_one_go(struct threads *threads, const struct wait_event *wait)
{
	struct thread *thread = threads_find(threads, wait->pid);

	if (wait->kind != WAIT_EXIT) {
		(void)restart_exec(wait->pid);
		(void)tracee_detach(wait->pid, wait_signal(wait));
	}
	if (thread)
		threads_remove(threads, thread);
}

/* A leader that ends before its process does not stop any more, and cannot be waited for while other threads are. */
static void forget_ended(struct threads *threads)
{
	struct proc_status status;

	for (size_t i = 0; i < THREADS_BUCKETS; i++) {
		struct thread *next = NULL;

		for (struct thread *thread = threads->bucket[i]; thread; thread = next) {
			next = thread->next;
			if (proc_status(thread->tid, &status) || status.state == 'Z' || status.state == 'X')
				threads_remove(threads, thread);
		}
	}
}

void detach_all(struct threads *threads)
{
	const struct timespec moment = {.tv_nsec = NS_PER_MS};
	const uint64_t last = clock_now() + PATIENCE_NS;
	struct wait_event wait;
	int got = 1;

	for (size_t i = 0; i < THREADS_BUCKETS; i++) {
		for (struct thread *thread = threads->bucket[i]; thread; thread = thread->next)
			(void)tracee_interrupt(thread->tid);
	}
	while (got >= 0 && threads->count && clock_now() < last) {
		got = wait_next(&wait);
		if (got > 0) {
			let_one_go(threads, &wait);
		} else if (got == 0) {
			forget_ended(threads);
			nanosleep(&moment, NULL);
		}
	}
	threads_clear(threads);
}
