/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tamper.h"

#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/record/calls/injections.h>
#include <exectrace/target/tracee/ptrace.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct delay {
	pid_t tid;
	uint64_t due; /* clock_now */
};

/* A call without a number is not made, and returns what is in the register for that already (do_syscall_64,
 * arch/x86/entry/common.c): so it does whatever becomes of us. */
static bool skip(pid_t tid, int64_t result)
{
	struct regs regs;

	if (tracee_regs(tid, &regs))
		return false;
	arch_set_reg(regs.arch, regs.raw, REG_ORIG_NR, UINT64_MAX);
	arch_set_reg(regs.arch, regs.raw, REG_RET, (uint64_t)result);
	return tracee_set_regs(tid, &regs) == 0;
}

uint64_t tamper_enter(struct thread *thread)
{
	const struct injection *of = thread->injected.of;

	if (!of)
		return 0;
	if (of->sig && syscall(SYS_tgkill, thread->tgid, thread->tid, of->sig) == 0)
		thread->injected.sent = of->sig;
	if (of->has_result)
		thread->injected.returned = skip(thread->tid, of->result);
	thread->injected.late = of->delay_enter || of->delay_exit;
	return of->delay_enter;
}

void tamper_signal(struct thread *thread, int sig, void *info)
{
	siginfo_t *got = info;

	if (!sig || thread->injected.sent != sig || got->si_code != SI_TKILL || got->si_pid != getpid())
		return;
	thread->injected.sent = 0;
	memset(info, 0, SIGINFO_BYTES);
	got->si_signo = sig;
	got->si_code = SI_KERNEL;
	(void)tracee_set_siginfo(thread->tid, info);
}

uint64_t tamper_leave(struct thread *thread)
{
	const struct injection *of = thread->injected.of;

	if (!of)
		return 0;
	thread->injected.of = NULL;
	return of->delay_exit;
}

bool delays_add(struct delays *delays, pid_t tid, uint64_t ns)
{
	if (grow_array((void **)&delays->items, delays->n, &delays->cap, sizeof(*delays->items)))
		return false;
	delays->items[delays->n++] = (struct delay){tid, clock_now() + ns};
	return true;
}

static void take_off(struct delays *delays, size_t i)
{
	delays->items[i] = delays->items[--delays->n];
}

pid_t delays_next(struct delays *delays)
{
	uint64_t now = delays->n ? clock_now() : 0;

	for (size_t i = 0; i < delays->n; i++) {
		pid_t tid = delays->items[i].tid;

		if (delays->items[i].due > now)
			continue;
		take_off(delays, i);
		return tid;
	}
	return 0;
}

void delays_drop(struct delays *delays, pid_t tid)
{
	for (size_t i = delays->n; i-- > 0;)
		if (delays->items[i].tid == tid)
			take_off(delays, i);
}

uint64_t delays_due(const struct delays *delays)
{
	uint64_t due = 0;

	for (size_t i = 0; i < delays->n; i++)
		if (!due || delays->items[i].due < due)
			due = delays->items[i].due;
	return due;
}

void delays_release(struct delays *delays)
{
	free(delays->items);
	*delays = (struct delays){0};
}
