/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/tracee/restart.h>

#include <exectrace/base/kerrno.h>
#include <exectrace/target/tracee/ptrace.h>

/*
 * The result of the execve that a stopped thread is in or comes from; 0: it is in none. Signals ask this while their
 * thread is stopped, so the ABI is told by the registers alone: the number says whether it is x32.
 */
static int32_t exec_result(pid_t tid, struct regs *regs)
{
	uint32_t nr = 0;

	if (tracee_regs_as(tid, arch_native(), regs) || regs->arch->slot[REG_ORIG_NR] == ARCH_NO_REG)
		return 0;
	nr = (uint32_t)arch_reg(regs->arch, regs->raw, REG_ORIG_NR);
	regs->arch = arch_by_call(regs->arch->audit, nr);
	return arch_is_exec(regs->arch, nr) ? (int32_t)arch_reg(regs->arch, regs->raw, REG_RET) : 0;
}

bool restart_is_due(pid_t tid)
{
	struct regs regs;
	int32_t result = exec_result(tid, &regs);

	return result == -ERESTARTSYS || result == -ERESTARTNOINTR;
}

/* As the kernel does it where the handler has SA_RESTART (arch_do_signal_or_restart). */
bool restart_exec(pid_t tid)
{
	struct regs regs;
	const struct arch *arch = NULL;

	if (exec_result(tid, &regs) != -ERESTARTSYS)
		return false;
	arch = regs.arch;
	arch_set_reg(arch, regs.raw, REG_NR, arch_reg(arch, regs.raw, REG_ORIG_NR));
	arch_set_reg(arch, regs.raw, REG_ORIG_NR, (uint64_t)-1);
	arch_set_reg(arch, regs.raw, REG_PC, arch_reg(arch, regs.raw, REG_PC) - arch->insn_len);
	return tracee_set_regs(tid, &regs) == 0;
}
