/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGSYS is not blocked while a thread has the agent (struct area), which knows whether the program has blocked it.
 * Where the kernel keeps the mask, gives it away or takes it, it has to be the program's.
 */
#include "private.h"

#include <exectrace/target/process/procfs.h>
#include <sys/syscall.h>

#define BIT (UINT64_C(1) << (AGENT_SIGNAL - 1))

static struct area *area_of(const struct inside_thread *thread)
{
	return thread->area ? data_area(thread->space->data, thread->area) : NULL;
}

/*
 * Whether a call has put another mask in place of the thread's own, until the signal that has ended it is delivered, as
 * sigsuspend(2) does. ptrace(2) gives and takes the thread's own then, and to take it ends that
 * (clear_tsk_restore_sigmask in kernel/ptrace.c): the signal would be blocked again, and never be delivered.
 */
static bool is_replaced(pid_t tid, uint64_t own)
{
	struct proc_signals signals;

	return proc_signals(tid, &signals) == 0 && signals.blocked != own;
}

bool inside_waits_for_signal(const struct inside_thread *thread)
{
	uint64_t own;

	return tracee_sigmask(thread->tid, &own) == 0 && is_replaced(thread->tid, own);
}

void thread_block(const struct inside_thread *thread)
{
	uint64_t mask;

	if (tracee_sigmask(thread->tid, &mask) == 0 && !is_replaced(thread->tid, mask))
		(void)tracee_set_sigmask(thread->tid, mask | BIT);
}

void thread_sync_mask(struct inside_thread *thread, uint64_t nr)
{
	const struct area *area = area_of(thread);
	bool sets = nr == SYS_rt_sigprocmask || nr == SYS_rt_sigreturn;
	uint64_t mask;

	thread->replaces = agent_image_masks(thread->inside, nr);
	thread->synced = area && (area->blocked || sets);
	if (thread->synced && area->blocked && nr != SYS_rt_sigreturn && tracee_sigmask(thread->tid, &mask) == 0)
		(void)tracee_set_sigmask(thread->tid, mask | BIT);
}

void thread_unsync_mask(struct inside_thread *thread)
{
	struct area *area = area_of(thread);
	uint64_t mask;

	if (!thread->synced || !area || tracee_sigmask(thread->tid, &mask))
		return;
	thread->synced = false;
	if (thread->replaces && is_replaced(thread->tid, mask))
		return; /* the kernel has both masks as they are to be */
	area->blocked = (mask & BIT) != 0;
	if (mask & BIT)
		(void)tracee_set_sigmask(thread->tid, mask & ~BIT);
}

void thread_mask_frame(const struct inside_thread *thread, int sig)
{
	const uint64_t bit = UINT64_C(1) << ((sig - 1) & 63);
	struct area *area = area_of(thread);
	struct proc_signals signals;
	uint64_t own;
	bool masked;

	if (!area || thread->space->given_up)
		return;
	masked = (*space_masked(thread->space) & bit) != 0;
	if ((!masked && !area->blocked) || proc_signals(thread->tid, &signals) || !(signals.caught & bit))
		return;
	if (tracee_sigmask(thread->tid, &own) == 0) {
		if (own != signals.blocked) /* as is_replaced() has it */
			area->blocked = (signals.blocked & BIT) != 0;
		else if (area->blocked)
			(void)tracee_set_sigmask(thread->tid, own | BIT);
	}
	if (masked)
		area->blocked = 1;
}
