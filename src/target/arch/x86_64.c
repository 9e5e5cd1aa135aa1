/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64 and its x32 ABI: same registers, same instruction, other numbers and 4-byte pointers
 * (arch/x86/entry/syscalls). */
#include "isa.h"

#include <linux/audit.h>

/* struct user_regs_struct of sys/user.h, in bytes */
#define X86_64_SLOTS                                                                                                  \
	{                                                                                                             \
		[REG_PC] = 128, [REG_SP] = 152, [REG_NR] = 80, [REG_ORIG_NR] = 120, [REG_RET] = 80, [REG_ARG0] = 112, \
		[REG_ARG1] = 104, [REG_ARG2] = 96, [REG_ARG3] = 56, [REG_ARG4] = 72, [REG_ARG5] = 64,                 \
	}

/* ax bx cx dx si di bp sp ip flags cs ss, four that cannot be asked for, r8 to r15 */
#define X86_64_PERF_SLOTS                                                                                     \
	{                                                                                                     \
		80, 40, 88, 96, 104, 112, 32, 152, 128, 144, 136, 160, ARCH_NO_REG, ARCH_NO_REG, ARCH_NO_REG, \
			ARCH_NO_REG, 72, 64, 56, 48, 24, 16, 8, 0,                                            \
	}

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.audit = AUDIT_ARCH_X86_64,
	.word = 8,
	.regs_size = 27 * 8,
	.reg_width = 8,
	.slot = X86_64_SLOTS,
	.perf_regs = 24,
	.perf_slot = X86_64_PERF_SLOTS,
	.insn_len = 2,
	.syscall_insn = {0x0f, 0x05},
	.loop_len = 2,
	.loop_insn = {0xeb, 0xfe},
	.nr_execve = 59,
	.nr_execveat = 322,
	.nr_prctl = 157,
	.nr_sigtimedwait = 128,
};

#define X32_BIT 0x40000000u

const struct arch arch_x32 = {
	.name = "x32",
	.audit = AUDIT_ARCH_X86_64,
	.nr_bit = X32_BIT,
	.word = 4,
	.regs_size = 27 * 8,
	.reg_width = 8,
	.slot = X86_64_SLOTS,
	.perf_regs = 24,
	.perf_slot = X86_64_PERF_SLOTS,
	.insn_len = 2,
	.syscall_insn = {0x0f, 0x05},
	.loop_len = 2,
	.loop_insn = {0xeb, 0xfe},
	.nr_execve = X32_BIT | 520,
	.nr_execveat = X32_BIT | 545,
	.nr_prctl = X32_BIT | 157,
	.nr_sigtimedwait = X32_BIT | 523,
};
