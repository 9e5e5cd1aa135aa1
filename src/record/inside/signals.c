/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that has the agent stops for a signal. It is one of ours: a call that dispatch has caught, a pointer that
 * cannot be read; or the program's: then nobody is to see the inside. The registers are put to where they were before
 * the call, if it has not been made, or to where they are behind it.
 */
#include "private.h"
#include "sites.h"

#include <exectrace/base/kerrno.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <linux/audit.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRIES 4        /* to patch a site */
#define DEEP_MANY 1000 /* calls */

/* The registers as the program has them at its call. */
static void from_area(struct user_regs_struct *regs, const struct area *area, bool flags)
{
	regs->rdi = area->rdi;
	regs->rsi = area->rsi;
	regs->rdx = area->rdx;
	regs->r10 = area->r10;
	regs->r8 = area->r8;
	regs->r9 = area->r9;
	regs->rbx = area->rbx;
	regs->rbp = area->rbp;
	regs->r12 = area->r12;
	regs->r13 = area->r13;
	regs->r14 = area->r14;
	regs->r15 = area->r15;
	regs->rsp = area->rsp;
	regs->rax = area->rax;
	if (flags)
		regs->eflags = area->flags;
}

/* To before the call, which will be made again. */
static void back_out(struct inside_thread *thread, struct user_regs_struct *regs)
{
	const struct agent_map *map = thread->inside->map;
	struct area *area = data_area(thread->space->data, thread->area);
	uint64_t site = regs->r11;

	if (regs->rip >= map->saved) {
		site = area->site;
		from_area(regs, area, regs->rip >= map->flags);
	}
	regs->rip = site;
	regs->orig_rax = (unsigned long)-1;
	area->quiet = 0;
	area->inside = 0;
	(void)drain_thread(thread, true);
	area->began = 0;
	if (thread->entered) { /* it was told already */
		(void)drain_end(thread, -ERESTARTNOINTR);
		return;
	}
	area->head = thread->taken; /* as if it had not begun */
}

/* What the agent has not come to do (agent.c). */
static void show_mask(const struct inside_thread *thread, struct area *area, uint64_t result)
{
	uint64_t *masked = space_masked(thread->space);
	uint64_t bit = UINT64_C(1) << ((area->rdi - 1) & 63);
	bool action = area->rax == SYS_rt_sigaction, shown = action ? area->was_masked : area->was_blocked;
	uint64_t at = area->rdx + (action ? 24 : 0), mask;

	if ((area->rax != SYS_rt_sigprocmask && !action) || result)
		return;
	if (action && area->given)
		*masked = area->given == 2 ? *masked | bit : *masked & ~bit;
	if (!action)
		area->blocked = area->will_block;
	if (!shown || !area->rdx || mem_read(thread->tid, at, &mask, sizeof(mask)))
		return;
	mask |= UINT64_C(1) << (SIGSYS - 1);
	(void)mem_write(thread->tid, at, &mask, sizeof(mask));
}

/* To behind it. */
static void finish(struct inside_thread *thread, struct user_regs_struct *regs)
{
	const struct agent_map *map = thread->inside->map;
	struct area *area = data_area(thread->space->data, thread->area);
	uint64_t result = regs->rip == map->called ? regs->rax : area->result;

	from_area(regs, area, true);
	regs->rax = result;
	regs->rip = regs->rcx = area->site + 2;
	regs->r11 = regs->eflags;
	area->quiet = 0;
	area->inside = 0;
	show_mask(thread, area, result);
	count_settle(thread);
	(void)drain_thread(thread, false);
	/* The memory is read as it is now; the registers have to be right for that. */
	(void)registers_set(thread->tid, regs);
	(void)drain_end(thread, (int64_t)result);
}

/* A call that has failed, and that the agent has left to us. */
static bool shows_failure(const struct inside_thread *thread, const struct user_regs_struct *regs)
{
	const struct agent_map *map = thread->inside->map;

	return thread->area && regs->rip > map->show && regs->rip < map->end;
}

static bool in_agent(const struct inside_thread *thread, uint64_t pc)
{
	return pc >= thread->inside->map->entry && pc < thread->inside->map->end;
}

static bool has_made(const struct inside_thread *thread, uint64_t pc)
{
	const struct agent_map *map = thread->inside->map;

	return pc == map->called || pc == map->kept ||
	       (pc >= map->saved && data_area(thread->space->data, thread->area)->made);
}

void thread_come_out(struct inside_thread *thread, struct user_regs_struct *regs)
{
	const struct site *site = NULL;

	if (in_agent(thread, regs->rip) && thread->area) {
		if (has_made(thread, regs->rip))
			finish(thread, regs);
		else
			back_out(thread, regs);
		(void)registers_set(thread->tid, regs);
		return;
	}
	site = space_stub(thread->space, regs->rip);
	if (!site)
		return;
	regs->rip = regs->rip == site->stub ? site->at - site->len : site->at;
	(void)registers_set(thread->tid, regs);
}

/* --- Calls that dispatch has caught ------------------------------------------------------------------------------- */

void give_action_back(struct remote *remote)
{
	const uint64_t at = area_address(0) + offsetof(struct area, action);
	const struct space *space = remote->thread->space;

	memcpy(data_area(space->data, 0)->action, space->action, sizeof(space->action));
	(void)remote_call(remote, SYS_rt_sigaction, (uint64_t[6]){SIGSYS, at, 0, 8, 0, 0});
}

/* The signal was blocked, so the kernel has unblocked it and taken the handler away (force_sig_info_to_task). */
static void mend_action(struct inside_thread *thread)
{
	const uint64_t bit = UINT64_C(1) << (SIGSYS - 1);
	struct proc_signals signals;
	struct remote remote;
	uint64_t mask = 0;

	if (tracee_sigmask(thread->tid, &mask) || !mask || proc_signals(thread->tid, &signals) || signals.caught & bit)
		return;
	if (remote_begin(&remote, thread) == 0) {
		if (thread->space->given_up)
			give_action_back(&remote);
		else
			(void)remote_call(&remote, SYS_rt_sigaction,
			                  (uint64_t[6]){SIGSYS, thread->inside->map->action, 0, 8, 0, 0});
		(void)remote_end(&remote);
	}
	if (thread->area)
		data_area(thread->space->data, thread->area)->blocked = 1;
}

void program_give_up(struct inside_thread *thread, const char *why)
{
	if (thread->space->given_up)
		return;
	if (hold_begin(thread)) { /* else its jumps end where they began (on_fault) */
		patch_undo(thread);
		hold_end(thread);
	}
	thread_put_actions_back(thread);
	thread->space->given_up = true;
	inside_refuse(thread->inside, why);
}

/* A stopped thread that is not in the agent has none from here on. */
static void go_without(struct inside_thread *thread, struct user_regs_struct *regs)
{
	(void)thread_dispatch(thread, false);
	thread_switch_off(thread);
	registers_free_gs(regs);
	(void)registers_set(thread->tid, regs);
}

/*
 * A SIGSYS that somebody has sent, or a filter that the program has from its maker, and that it may handle, ignore or
 * block: from here on the kernel knows how. It is sent again, because the stop that could deliver it is over by then.
 */
static enum inside_stop on_sent(struct inside_thread *thread, const siginfo_t *info)
{
	struct user_regs_struct regs;

	program_give_up(thread, CONTRARY);
	if (registers_get(thread->tid, &regs) == 0)
		go_without(thread, &regs);
	resent_add(thread, SIGSYS, info);
	return INSIDE_OURS;
}

/* It goes through the agent, from where it stands. */
static void send(struct inside_thread *thread, struct user_regs_struct *regs)
{
	thread->inside->sent++;
	thread->sent = regs->rip;
	thread->sent_calls = data_area(thread->space->data, thread->area)->calls;
	regs->r11 = thread->sent;
	regs->rip = thread->inside->map->entry;
	(void)registers_set(thread->tid, regs);
}

/* As the agent has it, for calls that it would record with their stack. */
static bool is_too_deep(const struct inside_thread *thread, const struct user_regs_struct *regs)
{
	return thread->area && thread->inside->config->stacks && thread->stack_end - regs->rsp > INSIDE_STACK_COPY;
}

/* A call that the agent leaves to us takes a stop more than one of a program without. */
static void count_deep(struct inside_thread *thread)
{
	if (++thread->space->deep > DEEP_MANY &&
	    thread->space->deep > data_area(thread->space->data, thread->area)->calls)
		program_give_up(thread, "the stacks of most of its calls are too deep to be copied, or in two places");
}

static bool is_for_agent(const struct inside_thread *thread, const struct user_regs_struct *regs)
{
	const struct recipe *recipes =
		(const struct recipe *)(const void *)(thread->inside->image.data + (INSIDE_RECIPES - INSIDE_CODE));
	const struct recipe *recipe = &recipes[regs->rax % INSIDE_CALLS];

	return thread->area && !thread->space->given_up && regs->rax < INSIDE_CALLS &&
	       recipe_records(recipe, regs->rdi, regs->rsi) && !(is_too_deep(thread, regs) && !recipe->unseen) &&
	       !(inside_links(thread) == LINKS_OUTSIDE && recipe_gives_fd(recipe, regs->rsi)) &&
	       !(recipe->masks && data_area(thread->space->data, thread->area)->blocked);
}

/* The agent has had this call, and would not have it. */
static bool was_declined(const struct inside_thread *thread, uint64_t at)
{
	return thread->sent == at && thread->sent_calls == data_area(thread->space->data, thread->area)->calls;
}

static void on_caught(struct inside_thread *thread, struct user_regs_struct *regs, uint32_t audit)
{
	struct area *area = thread->area ? data_area(thread->space->data, thread->area) : NULL;
	bool full = area && area->full;
	uint64_t at = regs->rip - 2;
	struct site *site;

	/* When the tracer dies from here on, the call is made again, and not passed over. */
	regs->rip = at;
	regs->orig_rax = (unsigned long)-1;
	(void)registers_set(thread->tid, regs);
	mend_action(thread);
	(void)drain_thread(thread, false);
	if (full)
		area->full = 0;
	if (thread->inside->quiet)
		return;
	if (area && regs->gs_base != area_address(thread->area)) /* wrgsbase, which no call tells of */
		program_give_up(thread, CONTRARY);
	if (audit != AUDIT_ARCH_X86_64 || !is_for_agent(thread, regs) || (was_declined(thread, at) && !full)) {
		if (is_too_deep(thread, regs))
			count_deep(thread);
		thread->sent = 0;
		thread_let_stop(thread, regs);
		return;
	}
	site = space_site(thread->space, at, false);
	if (site && site->stub && !patch_stands(thread, site))
		site->stub = 0; /* other code is there now */
	if (!site)
		site = space_site(thread->space, at, true);
	if (site && !site->stub && site->tries < TRIES && hold_begin(thread)) {
		site->tries++;
		if (!learned_apply(thread, at))
			patch(thread, space_site(thread->space, at, true), regs->rax);
		hold_end(thread);
	}
	send(thread, regs);
}

static void on_failure(struct inside_thread *thread, struct user_regs_struct *regs)
{
	regs->orig_rax = (unsigned long)-1;
	thread_come_out(thread, regs);
	mend_action(thread);
	if (thread->space->given_up)
		go_without(thread, regs);
}

/* --- Faults ------------------------------------------------------------------------------------------------------- */

static bool on_fault(const struct inside_thread *thread, struct user_regs_struct *regs)
{
	const struct agent_map *map = thread->inside->map;
	const struct site *site;

	if (regs->rip == map->entry) /* a thread that has no area */
		regs->rip = regs->r11;
	else if (regs->rip >= map->copy && regs->rip < map->copy_end)
		regs->rip = map->copy_end;
	else if (regs->rip >= map->string && regs->rip < map->string_end)
		regs->rip = map->string_end;
	else if ((site = space_stub(thread->space, regs->rip)) && regs->rip == patch_looks_at_gs(site))
		regs->rip = site->at;
	else
		return false;
	(void)registers_set(thread->tid, regs);
	return true;
}

/* A fault of the agent's: what it works with is gone, or a pointer of the program's leads nowhere. */
static bool is_fault_of_agent(const struct inside_thread *thread, int sig, const siginfo_t *info,
                              struct user_regs_struct *regs)
{
	if (!info || info->si_code <= 0 || (sig != SIGSEGV && sig != SIGBUS))
		return false;
	return on_fault(thread, regs) || (thread->space->given_up && thread->area && in_agent(thread, regs->rip));
}

enum inside_stop inside_signal(struct inside_thread *thread, int sig, const void *raw)
{
	const siginfo_t *info = raw;
	struct user_regs_struct regs;
	bool ours;

	if (!thread || !thread->space || !thread->space->data || registers_get(thread->tid, &regs))
		return INSIDE_SIGNAL;
	if (thread->on && info && sig == SIGSYS && info->si_code == DISPATCH_SIGNAL_CODE) {
		if (shows_failure(thread, &regs))
			on_failure(thread, &regs);
		else
			on_caught(thread, &regs, info->si_arch);
		return INSIDE_OURS;
	}
	ours = is_fault_of_agent(thread, sig, info, &regs);
	if (ours && !thread->space->given_up)
		return INSIDE_OURS;
	thread_come_out(thread, &regs);
	if (thread->on && thread->space->given_up)
		go_without(thread, &regs);
	if (ours)
		return INSIDE_OURS;
	thread_mask_frame(thread, sig);
	if (info && sig == SIGSYS && !thread->space->given_up)
		return on_sent(thread, info);
	if (info)
		resent_put_back(thread, sig, info);
	return inside_is_gone(thread) ? INSIDE_OURS : INSIDE_SIGNAL;
}

bool inside_owes_signal(const struct inside_thread *thread)
{
	const uint64_t ours = UINT64_C(1) << (SIGSYS - 1) | UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1);
	struct proc_signals signals;

	return thread && proc_signals(thread->tid, &signals) == 0 && (signals.pending & ~signals.blocked & ours);
}

void thread_give_up(struct inside_thread *thread)
{
	struct user_regs_struct regs;

	if (!thread->on || !thread->space->given_up || inside_owes_signal(thread) || registers_get(thread->tid, &regs))
		return;
	thread_come_out(thread, &regs);
	go_without(thread, &regs);
}
