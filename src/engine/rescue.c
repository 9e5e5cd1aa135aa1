/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rescue.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/tracee/procfs.h>
#include <exectrace/tracee/ptrace.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STOP_LIMIT (2 * NS_PER_MS)
#define TREE_MAX 256u   /* processes looked at */
#define ERESTARTSYS 512 /* include/linux/errno.h of the kernel */

void rescue_note(struct rescue *rescue, pid_t tid)
{
	rescue->repeats = tid == rescue->last ? rescue->repeats + 1 : 0;
	rescue->last = tid;
	for (unsigned i = 0; i < RESCUE_RECENT; i++) {
		if (rescue->recent[i] == tid)
			return;
	}
	rescue->recent[rescue->at++ % RESCUE_RECENT] = tid;
}

bool rescue_repeats(const struct rescue *rescue)
{
	return rescue->repeats >= RESCUE_REPEATS;
}

bool rescue_tries(const struct rescue *rescue)
{
	return rescue->repeats >= 2;
}

/* On its way to a handler: runnable, with a signal pending that it catches and does not block. */
static bool about_to_handle(pid_t tid)
{
	struct proc_signals signals;

	return proc_signals(tid, &signals) == 0 && signals.state == 'R' &&
	       (signals.pending & signals.caught & ~signals.blocked);
}

/* True when the thread was interrupted in execve; its registers then make it begin anew. */
static bool make_restart(pid_t tid, struct regs *regs)
{
	const struct arch *arch = regs->arch;
	uint64_t nr = arch_reg(arch, regs->raw, REG_ORIG_NR);
	int32_t result = (int32_t)arch_reg(arch, regs->raw, REG_RET);

	if (arch->slot[REG_ORIG_NR] == ARCH_NO_REG || result != -ERESTARTSYS || !arch_is_exec(arch, (uint32_t)nr))
		return false;
	arch_set_reg(arch, regs->raw, REG_NR, nr);
	arch_set_reg(arch, regs->raw, REG_ORIG_NR, (uint64_t)-1);
	arch_set_reg(arch, regs->raw, REG_PC, arch_reg(arch, regs->raw, REG_PC) - arch->insn_len);
	return tracee_set_regs(tid, regs) == 0;
}

/* Looks whether an attached thread has stopped, without wait(2), which belongs to the main thread. True when it is
 * settled. */
static bool look_at(struct rescue *rescue, pid_t tid)
{
	struct regs regs;
	int err = tracee_regs(tid, &regs);
	int sig = 0;

	if (err == -ESRCH && kill(tid, 0) == 0)
		return false;
	if (!err && make_restart(tid, &regs))
		rescue->saved++;
	/* It may have come to its signal before it was asked to stop. */
	sig = tracee_pending_signal(tid);
	(void)tracee_detach(tid, sig > 0 ? sig : 0);
	return true;
}

static void owe(struct rescue *rescue, pid_t tid)
{
	for (unsigned i = 0; i < RESCUE_OWED; i++) {
		if (!rescue->owed[i]) {
			rescue->owed[i] = tid;
			return;
		}
	}
}

static bool room(const struct rescue *rescue)
{
	for (unsigned i = 0; i < RESCUE_OWED; i++) {
		if (!rescue->owed[i])
			return true;
	}
	return false;
}

/* The trap comes before the signal is taken (get_signal, kernel/signal.c): nothing of the thread's own is disturbed. */
static void rescue_thread(struct rescue *rescue, pid_t tid)
{
	const struct timespec moment = {.tv_nsec = 20000};
	uint64_t limit = clock_now() + STOP_LIMIT;

	if (!room(rescue) || tracee_seize(tid, 0))
		return;
	(void)tracee_interrupt(tid);
	while (!look_at(rescue, tid)) {
		if (clock_now() > limit) {
			owe(rescue, tid);
			return;
		}
		nanosleep(&moment, NULL);
	}
}

/* Adds the children of pid to list. */
static unsigned add_children(pid_t pid, pid_t *list, unsigned n)
{
	char text[4096];
	char *at = text;
	char *end = NULL;

	if (proc_children(pid, text, sizeof(text)) <= 0)
		return n;
	while (n < TREE_MAX) {
		long child = strtol(at, &end, 10);

		if (end == at)
			break;
		list[n++] = (pid_t)child;
		at = end;
	}
	return n;
}

/* On another processor the thread is in its handler sooner than /proc can be read: so the likeliest is taken unseen. */
static bool rescue_last(struct rescue *rescue)
{
	unsigned long before = rescue->saved;

	if (rescue_repeats(rescue))
		rescue_thread(rescue, rescue->last);
	return rescue->saved != before;
}

static bool rescue_recent(struct rescue *rescue)
{
	bool any = false;

	for (unsigned i = 0; i < RESCUE_RECENT; i++) {
		if (!rescue->recent[i] || !about_to_handle(rescue->recent[i]))
			continue;
		rescue_thread(rescue, rescue->recent[i]);
		any = true;
	}
	return any;
}

void rescue_lost(struct rescue *rescue)
{
	pid_t list[TREE_MAX];
	unsigned n = 1;

	if (rescue_last(rescue) || rescue_recent(rescue))
		return;
	list[0] = rescue->root;
	for (unsigned i = 0; i < n; i++) {
		if (about_to_handle(list[i])) {
			rescue_thread(rescue, list[i]);
			return;
		}
		n = add_children(list[i], list, n);
	}
}

bool rescue_settle(struct rescue *rescue)
{
	bool any = false;

	for (unsigned i = 0; i < RESCUE_OWED; i++) {
		if (rescue->owed[i] && look_at(rescue, rescue->owed[i]))
			rescue->owed[i] = 0;
		any |= rescue->owed[i] != 0;
	}
	return any;
}
