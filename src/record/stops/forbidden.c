/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "forbidden.h"

#include <exectrace/target/tracee/ptrace.h>
#include <signal.h>
#include <sys/wait.h>

/* The call that the kernel remembers. False: the thread does not end for one. */
static bool call_of(pid_t tid, struct syscall_call *call)
{
	struct syscall_stop stop;
	struct regs regs;
	unsigned long status;

	if (tracee_event_msg(tid, &status) || WTERMSIG((int)status) != SIGSYS || tracee_syscall(tid, &stop) ||
	    tracee_regs(tid, &regs))
		return false;
	call->nr = (uint32_t)arch_reg(regs.arch, regs.raw, REG_ORIG_NR);
	call->arch = arch_by_call(stop.audit, call->nr);
	call->sp = stop.sp;
	call->tid = tid;
	for (unsigned i = 0; i < SYSCALL_ARGS; i++)
		call->args[i] = arch_reg(regs.arch, regs.raw, (enum reg)(REG_ARG0 + i));
	return call->arch && (int32_t)call->nr != -1;
}

void forbidden_tell(struct stops *s, struct thread *thread)
{
	struct call_event event = {.type = CALL_ENTER, .thread = thread};
	struct syscall_call call;

	if (thread->in_call || thread->hidden || !call_of(thread->tid, &call))
		return;
	/* The ring has it. */
	if (inside_runs(thread->inside) &&
	    (!s->config->filter || syscall_filter_has(s->config->filter, call.arch, call.nr)))
		return;
	thread->call = call;
	thread->in_call = thread->wanted = thread->forbidden = true;
	stops_emit(s, &event);
}
