/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs and threads that are to go on without the agent, as they would without us. */
#include "private.h"
#include "sites.h"

#include <exectrace/base/kerrno.h>
#include <stddef.h>
#include <sys/syscall.h>

static bool has_agent(const struct inside_thread *thread)
{
	return thread->space && thread->space->data && !thread->space->given_up;
}

void inside_let_go(struct inside *inside)
{
	for (struct inside_thread *t = inside->threads; t; t = t->next) {
		if (!has_agent(t) || !hold_is_stopped(t->tid))
			continue;
		t->space->unheld = 0;
		if (!hold_begin(t))
			continue; /* its jumps lead past the agent from now on */
		patch_undo(t);
		hold_end(t);
		t->space->given_up = true;
	}
	for (struct inside_thread *t = inside->threads; t; t = t->next) {
		if (t->space && t->space->data) {
			t->space->given_up = true;
			owner_let_go(t->space->data);
		}
	}
}

void thread_put_actions_back(struct inside_thread *thread)
{
	const uint64_t at = area_address(0) + offsetof(struct area, action);
	struct data *data = thread->space->data;
	struct remote remote;

	if (thread->space->left || remote_begin(&remote, thread))
		return;
	thread->space->left = true;
	give_action_back(&remote);
	for (uint64_t sig = 1; sig <= 64; sig++) {
		if (!(*space_masked(thread->space) & UINT64_C(1) << (sig - 1)) ||
		    remote_call(&remote, SYS_rt_sigaction, (uint64_t[6]){sig, 0, at, 8, 0, 0}))
			continue;
		data_area(data, 0)->action[3] |= UINT64_C(1) << (AGENT_SIGNAL - 1);
		(void)remote_call(&remote, SYS_rt_sigaction, (uint64_t[6]){sig, at, 0, 8, 0, 0});
	}
	(void)remote_end(&remote);
}

/* A call that will be made again is put back to its beginning, as the kernel would (arch_do_signal_or_restart). */
static void begin_anew(const struct inside_thread *thread, struct user_regs_struct *regs)
{
	int64_t result = (int64_t)regs->rax;

	if ((int64_t)regs->orig_rax < 0 || !is_restart(result))
		return;
	regs->rip -= 2;
	regs->rax = result == -ERESTART_RESTARTBLOCK ? SYS_restart_syscall : regs->orig_rax;
	regs->orig_rax = (unsigned long)-1;
	(void)registers_set(thread->tid, regs);
}

void inside_leave(struct inside_thread *thread, bool signal)
{
	struct user_regs_struct regs;

	if (!thread || !thread->space || !thread->space->data || registers_get(thread->tid, &regs))
		return;
	(void)thread_dispatch(thread, false);
	if (thread->area)
		thread_come_out(thread, &regs);
	if (!signal)
		begin_anew(thread, &regs);
	/* Not where a signal decides what becomes of a call. */
	if (!is_restart((int64_t)regs.rax) || (int64_t)regs.orig_rax < 0) {
		thread_put_actions_back(thread);
		thread_switch_off(thread);
	}
	registers_take_gs_back(thread->tid);
	thread_set_on(thread, false);
}
