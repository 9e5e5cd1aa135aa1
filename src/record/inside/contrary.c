/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that do not go with an agent in the process. */
#include "private.h"

#include <asm/prctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

bool call_takes_agent_away(const struct user_regs_struct *regs)
{
	bool fixed = regs->r10 & MAP_FIXED && !(regs->r10 & MAP_FIXED_NOREPLACE);

	switch (regs->rax) {
	case SYS_mmap:
		return fixed && meets_agent(regs->rdi, regs->rsi);
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_pkey_mprotect:
	case SYS_mremap:
		return meets_agent(regs->rdi, regs->rsi);
	default:
		return false;
	}
}

bool call_is_contrary(const struct user_regs_struct *regs)
{
	switch (regs->rax) {
	case SYS_seccomp:
		return regs->rdi <= 1; /* SECCOMP_SET_MODE_STRICT, ..._FILTER */
	case SYS_prctl:
		return regs->rdi == PR_SET_SECCOMP || regs->rdi == PR_SET_TSC || regs->rdi == 59; /* ..._DISPATCH */
	case SYS_arch_prctl:
		return regs->rdi == ARCH_SET_GS || regs->rdi >= 0x5001; /* ARCH_SHSTK_ENABLE */
	default:
		return call_takes_agent_away(regs);
	}
}
