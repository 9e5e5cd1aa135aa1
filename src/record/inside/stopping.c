/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that are made where they stand, with a stop at their entry and at their end, and what they would show. */
#include "private.h"

#include <asm/prctl.h>
#include <exectrace/target/process/mem.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * What the agent has mapped and does not use counts where the program's memory is limited, or locked: it goes. Threads
 * that the program makes from now on stop at each call.
 */
static void shrink(struct inside_thread *thread)
{
	struct space *space = thread->space;
	bool used[INSIDE_AREAS] = {true};
	struct remote remote;

	if (!space->data || space->given_up || space->shrunk || remote_begin(&remote, thread))
		return;
	space->shrunk = true;
	for (const struct inside_thread *t = thread->inside->threads; t; t = t->next)
		used[t->space == space ? t->area : 0] = true;
	for (unsigned i = 0, end; i < INSIDE_AREAS; i = end + 1) {
		for (end = i; end < INSIDE_AREAS && !used[end];)
			end++;
		if (end > i)
			(void)remote_call(&remote, SYS_munmap,
			                  (uint64_t[6]){area_address(i), (uint64_t)(end - i) * INSIDE_AREA_BYTES});
	}
	(void)remote_end(&remote);
}

/* The names that the program has for files are not ours any more. */
static void look_from_outside(struct inside_thread *thread)
{
	thread->space->outside = true;
	for (struct inside_thread *t = thread->inside->threads; t; t = t->next) {
		if (t->space == thread->space && t->area)
			data_area(t->space->data, t->area)->links = inside_links(t);
	}
}

/* What the call would show of the agent is put right at its end (inside_at_end). */
static void hide(struct inside_thread *thread, struct user_regs_struct *regs)
{
	bool action = regs->rax == SYS_rt_sigaction && (int)regs->rdi == SIGSYS;

	thread->before = *regs;
	thread->hidden = regs->rax == SYS_arch_prctl && regs->rdi == ARCH_GET_GS ? HIDDEN_GS : NOTHING_HIDDEN;
	/* Where it cannot be read the call fails. */
	if (!action || (regs->rsi && mem_read(thread->tid, regs->rsi, thread->action, sizeof(thread->action))))
		return;
	thread->hidden = HIDDEN_ACTION;
	regs->rsi = 0;
}

void thread_makes(struct inside_thread *thread, bool begins)
{
	if (thread->makes == begins || !thread->space->data)
		return;
	thread->makes = begins;
	__atomic_fetch_add(&data_control(thread->space->data)->making, begins ? 1 : (uint64_t)-1, __ATOMIC_RELAXED);
}

void thread_let_stop(struct inside_thread *thread, struct user_regs_struct *regs)
{
	if (call_is_contrary(regs))
		program_give_up(thread, CONTRARY);
	if (thread->space->given_up && call_takes_agent_away(regs))
		hold_stop_others(thread);
	(void)thread_dispatch(thread, false);
	thread->stops = true;
	if (call_counts_memory(regs))
		shrink(thread);
	if (regs->rax == SYS_clone || regs->rax == SYS_clone3)
		thread_makes(thread, true);
	if (call_changes_names(regs))
		look_from_outside(thread);
	thread->hidden = NOTHING_HIDDEN;
	if (thread->space->given_up) {
		thread_switch_off(thread);
		registers_free_gs(regs);
	} else {
		hide(thread, regs);
	}
	/* What the call makes begins with the registers of this thread, and without an area of its own. */
	if (thread->area)
		data_area(thread->space->data, thread->area)->quiet = 1;
	thread_sync_mask(thread, regs->rax);
	(void)registers_set(thread->tid, regs);
}

void inside_at_entry(struct inside_thread *thread, uint64_t pc, uint64_t args[6])
{
	if (!thread)
		return;
	if (thread->space && !thread->space->data)
		space_executes(thread->space, pc);
	if (thread->stops && thread->hidden == HIDDEN_ACTION)
		args[1] = thread->before.rsi;
}

void inside_at_end(struct inside_thread *thread, int64_t result)
{
	static const uint64_t none;
	struct user_regs_struct regs;

	if (!thread || !thread->stops)
		return;
	thread_unsync_mask(thread);
	if (thread->hidden == NOTHING_HIDDEN)
		return;
	if (thread->hidden == HIDDEN_GS && result == 0)
		(void)mem_write(thread->tid, thread->before.rsi, &none, sizeof(none));
	if (thread->hidden == HIDDEN_ACTION && result == 0 && thread->before.rdx)
		(void)mem_write(thread->tid, thread->before.rdx, thread->space->action, sizeof(thread->space->action));
	if (thread->hidden == HIDDEN_ACTION && result == 0 && thread->before.rsi)
		memcpy(thread->space->action, thread->action, sizeof(thread->action));
	if (thread->hidden == HIDDEN_ACTION && registers_get(thread->tid, &regs) == 0) {
		regs.rsi = thread->before.rsi;
		(void)registers_set(thread->tid, &regs);
	}
	thread->hidden = NOTHING_HIDDEN;
}
