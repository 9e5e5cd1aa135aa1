/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/seccomp/untraced.h>

#include <exectrace/target/process/mem.h>
#include <exectrace/target/tracee/ptrace.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

/* Where a call has its flags. */
enum place { PLACE_NONE, PLACE_REGISTER, PLACE_MEMORY };

static enum place place_of(const struct syscall_call *call)
{
	const struct syscall_desc *desc = call->arch ? syscall_by_nr(call->arch, call->nr) : NULL;

	if (desc && strcmp(desc->name, "clone") == 0)
		return PLACE_REGISTER;
	return desc && strcmp(desc->name, "clone3") == 0 ? PLACE_MEMORY : PLACE_NONE;
}

static bool set_register(pid_t tid, uint64_t value)
{
	struct regs regs;

	if (tracee_regs(tid, &regs))
		return false;
	arch_set_reg(regs.arch, regs.raw, REG_ARG0, value);
	return tracee_set_regs(tid, &regs) == 0;
}

/* The flags are the first member of struct clone_args. True when the flag was not as it is now. */
static bool set_memory(pid_t tid, uint64_t addr, bool set)
{
	uint64_t flags = 0;

	if (mem_read(tid, addr, &flags, sizeof(flags)) || !(flags & CLONE_UNTRACED) != set)
		return false;
	flags ^= CLONE_UNTRACED;
	return mem_poke(tid, addr, &flags, sizeof(flags)) == 0;
}

static bool clear(pid_t tid, const struct syscall_call *call)
{
	enum place place = place_of(call);

	if (place == PLACE_REGISTER && (call->args[0] & CLONE_UNTRACED))
		return set_register(tid, call->args[0] & ~(uint64_t)CLONE_UNTRACED);
	return place == PLACE_MEMORY && set_memory(tid, call->args[0], false);
}

void untraced_clear(struct thread *thread)
{
	thread->untraced = clear(thread->tid, &thread->call);
}

void untraced_clear_stopped(pid_t tid)
{
	struct syscall_call call = {.tid = tid};
	struct syscall_stop stop;

	if (tracee_syscall(tid, &stop) || (stop.op != SYSCALL_STOP_ENTRY && stop.op != SYSCALL_STOP_SECCOMP))
		return;
	call.arch = arch_by_call(stop.audit, (uint32_t)stop.nr);
	call.nr = (uint32_t)stop.nr;
	memcpy(call.args, stop.args, sizeof(call.args));
	(void)clear(tid, &call);
}

void untraced_inherit(struct thread *thread, const struct thread *maker)
{
	thread->untraced = maker && maker->untraced;
	if (thread->untraced)
		thread->call = maker->call;
}

void untraced_restore(struct thread *thread)
{
	const struct syscall_call *call = &thread->call;

	if (!thread->untraced)
		return;
	thread->untraced = false;
	if (place_of(call) == PLACE_REGISTER)
		(void)set_register(thread->tid, call->args[0]);
	else
		(void)set_memory(thread->tid, call->args[0], true);
}
