/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tamper.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <exectrace/record/calls/injections.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/tracee/ptrace.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096u

struct delay {
	pid_t tid;
	uint64_t due; /* clock_now */
};

/* As much as there is memory for, page by page: what can be written is then. */
static bool poke(pid_t tid, uint64_t addr, const unsigned char *bytes, size_t n)
{
	bool any = false;

	while (n) {
		size_t in_page = PAGE - addr % PAGE, some = n < in_page ? n : in_page;
		int err = mem_write(tid, addr, bytes, some);

		if (err == -ENOSYS || err == -EPERM)
			err = mem_poke(tid, addr, bytes, some);
		if (err)
			return any;
		any = true;
		addr += some;
		bytes += some;
		n -= some;
	}
	return any;
}

static void poke_all(struct thread *thread, const struct injection *of, bool at_end)
{
	const struct syscall_desc *desc = syscall_by_nr(thread->call.arch, thread->call.nr);

	for (size_t i = 0; i < of->n_pokes; i++) {
		const struct poke *one = &of->pokes[i];

		if (one->at_end == at_end && desc && one->arg < desc->nargs)
			thread->injected.poked |= poke(thread->tid, thread->call.args[one->arg], one->bytes, one->n);
	}
}

void tamper_begin(struct thread *thread)
{
	if (thread->injected.of)
		poke_all(thread, thread->injected.of, false);
}

/* Sets the number and the result of a call. */
static bool replace(pid_t tid, uint64_t nr, int64_t result)
{
	struct regs regs;

	if (tracee_regs(tid, &regs))
		return false;
	arch_set_reg(regs.arch, regs.raw, REG_ORIG_NR, nr);
	arch_set_reg(regs.arch, regs.raw, REG_RET, (uint64_t)result);
	return tracee_set_regs(tid, &regs) == 0;
}

/* A call without a number is not made, and returns what is in the register for that already (do_syscall_64,
 * arch/x86/entry/common.c): so it does whatever becomes of us. One that is made instead gets its result at its end, so
 * it is not where the thread waits in between: we might be gone by then. */
static bool return_instead(struct thread *thread, const struct injection *of)
{
	long nr = of->instead && !of->delay_enter ? syscall_nr(thread->call.arch, of->instead) : -1;

	thread->injected.changed = nr >= 0;
	return replace(thread->tid, (uint64_t)nr, of->result);
}

uint64_t tamper_enter(struct thread *thread)
{
	const struct injection *of = thread->injected.of;

	if (!of)
		return 0;
	if (of->sig && syscall(SYS_tgkill, thread->tgid, thread->tid, of->sig) == 0)
		thread->injected.sent = of->sig;
	if (of->has_result)
		thread->injected.returned = return_instead(thread, of);
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
	if (thread->injected.changed)
		(void)replace(thread->tid, thread->call.nr, of->result);
	thread->injected.changed = false;
	if (thread->injected.returned)
		thread->result = (struct syscall_result){of->result, !of->succeeds};
	poke_all(thread, of, true);
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
