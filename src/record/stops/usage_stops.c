/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "usage_stops.h"

#include <errno.h>
#include <exectrace/target/process/procfs.h>

/* The clock of a process goes on with those of its threads that have not ended: the last look is the best. */
void usage_stops_take(struct threads *threads, struct thread *thread)
{
	struct thread *first = threads_find(threads, thread->tgid);
	uint64_t peak, read, written;

	if (!first || thread->hidden)
		return;
	(void)usage_cpu(first->tgid, &first->usage.all);
	peak = usage_peak(thread->tid);
	if (peak > first->usage.all.peak)
		first->usage.all.peak = peak;
	if (thread->usage.counted || usage_io(thread->tgid, thread->tid, &read, &written))
		return;
	thread->usage.counted = true;
	first->usage.all.read += read;
	first->usage.all.written += written;
}

void usage_stops_replace(struct thread *other, const struct thread *first)
{
	other->usage = first->usage;
	other->usage.uncounted |= !first->usage.counted;
	other->usage.counted = false;
}

void usage_stops_late(struct threads *threads, pid_t pid)
{
	struct thread *first = threads_find(threads, pid);

	if (first)
		first->usage.uncounted = true;
}

/* What ending itself took, the freeing of memory above all, is known too as long as the parent has not reaped it. */
static void add_ending(struct thread *thread, int status)
{
	struct exec_usage now = {0};
	int seen = 0;

	/* A process that has the number by now is no zombie that has ended in the same way. */
	if (usage_cpu(thread->tgid, &now) || proc_zombie_status(thread->tgid, &seen) || seen != status)
		return;
	thread->usage.all.cpu = true;
	thread->usage.all.user = now.user;
	thread->usage.all.system = now.system;
}

const struct exec_usage *usage_stops_end(struct threads *threads, struct thread *thread, int status)
{
	bool last = thread->tid == thread->tgid;
	struct thread *first = last ? thread : threads_find(threads, thread->tgid);
	struct exec_usage *all = &thread->usage.all;

	if (first && !thread->usage.counted)
		first->usage.uncounted = true;
	if (!last)
		return NULL;
	add_ending(thread, status);
	all->io = !thread->usage.uncounted;
	if (!all->io)
		all->read = all->written = 0;
	return all;
}
