/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that do not go with an agent in the process. */
#include "private.h"

#include <asm/prctl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

bool call_counts_memory(const struct user_regs_struct *regs)
{
	switch (regs->rax) {
	case SYS_mlockall:
		return true;
	case SYS_setrlimit:
		return (int)regs->rdi == RLIMIT_AS;
	case SYS_prlimit64: /* whose it is does not matter */
		return (int)regs->rsi == RLIMIT_AS && regs->rdx;
	default:
		return false;
	}
}

bool call_changes_names(const struct user_regs_struct *regs)
{
	switch (regs->rax) {
	case SYS_chroot:
	case SYS_pivot_root:
	case SYS_mount:
	case SYS_umount2:
	case SYS_move_mount:
	case SYS_setns:
		return true;
	case SYS_unshare:
		return (regs->rdi & CLONE_NEWNS) != 0;
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
