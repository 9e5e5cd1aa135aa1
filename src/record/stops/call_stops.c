/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call_stops.h"

#include "agents.h"
#include <exectrace/base/kerrno.h>
#include <exectrace/record/seccomp/seccomp_filter.h>
#include <exectrace/record/seccomp/untraced.h>
#include <exectrace/target/tracee/ptrace.h>
#include <string.h>

/* At a stop of a call. */
static void delay(struct stops *s, struct thread *thread, uint64_t ns)
{
	thread->delayed = ns && delays_add(&s->delays, thread->tid, ns);
}

static void enter(struct stops *s, struct thread *thread, const struct syscall_stop *stop)
{
	struct call_event event = {.type = CALL_ENTER, .thread = thread};
	struct syscall_call *call = &thread->call;

	call->arch = arch_by_call(stop->audit, (uint32_t)stop->nr);
	call->nr = (uint32_t)stop->nr;
	memcpy(call->args, stop->args, sizeof(call->args));
	inside_at_entry(thread->inside, stop->pc, call->args);
	call->sp = stop->sp;
	call->tid = thread->tid;
	s->entries++;
	thread->in_call = true;
	thread->exec_due &= !(call->arch && arch_is_exec(call->arch, call->nr));
	thread->wanted = !thread->hidden && call->arch &&
	                 (!s->config->filter || syscall_filter_has(s->config->filter, call->arch, call->nr));
	seccomp_filter_entered(&s->filter, thread);
	if (s->config->injections && thread->wanted) {
		stops_fail(s, injections_enter(s->config->injections, &thread->injected, call));
		tamper_begin(thread);
	}
	if (thread->wanted)
		stops_emit(s, &event);
	thread->attached = false;
	if (s->config->follow || s->inside)
		untraced_clear(thread);
	if (s->config->injections && thread->wanted)
		delay(s, thread, tamper_enter(thread));
}

static void leave(struct stops *s, struct thread *thread, const struct syscall_stop *stop)
{
	struct call_event event = {.type = CALL_EXIT, .thread = thread};

	thread->result = (struct syscall_result){stop->value, stop->error};
	untraced_restore(thread);
	inside_at_end(thread->inside, stop->value);
	delay(s, thread, tamper_leave(thread));
	if (thread->in_call && !stop->error)
		seccomp_filter_left(&s->filter, &s->threads, thread);
	/* The end of a call whose entry was not seen: of the one in which it was attached to. */
	if (thread->in_call && thread->wanted)
		stops_emit(s, &event);
	thread->in_call = false;
	agents_ended_call(s, thread);
}

void call_stops_take(struct stops *s, struct thread *thread)
{
	struct syscall_stop stop;

	if (tracee_syscall(thread->tid, &stop) || seccomp_filter_ignores(&s->filter, thread, &stop))
		return;
	if (stop.op == SYSCALL_STOP_ENTRY || stop.op == SYSCALL_STOP_SECCOMP)
		enter(s, thread, &stop);
	else if (stop.op == SYSCALL_STOP_EXIT)
		leave(s, thread, &stop);
}

void call_stops_interrupted(struct stops *s, struct thread *thread)
{
	struct syscall_stop stop = {.value = -ERESTART_RESTARTBLOCK, .error = true};
	const struct arch *arch;
	struct regs regs;
	bool attached;

	if (!s->config->interrupted || thread->call.arch || tracee_regs(thread->tid, &regs))
		return;
	arch = regs.arch;
	if (arch->slot[REG_ORIG_NR] == ARCH_NO_REG || (int32_t)arch_reg(arch, regs.raw, REG_RET) != (int32_t)stop.value)
		return;
	stop.audit = arch->audit;
	stop.nr = arch_reg(arch, regs.raw, REG_ORIG_NR);
	stop.pc = arch_reg(arch, regs.raw, REG_PC);
	stop.sp = arch_reg(arch, regs.raw, REG_SP);
	for (unsigned i = 0; i < 6; i++)
		stop.args[i] = arch_reg(arch, regs.raw, REG_ARG0 + i);
	attached = thread->attached;
	enter(s, thread, &stop);
	thread->attached = attached; /* it has made no call by itself */
	leave(s, thread, &stop);
}
