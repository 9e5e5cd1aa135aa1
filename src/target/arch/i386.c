/* SPDX-License-Identifier: GPL-2.0-or-later */
/* i386, also as a 64-bit kernel's compatibility mode: a tracer of either width sees NT_PRSTATUS with 17 words. */
#include "isa.h"

#include <linux/audit.h>

const struct arch arch_i386 = {
	.name = "i386",
	.audit = AUDIT_ARCH_I386,
	.word = 4,
	.regs_size = 17 * 4,
	.reg_width = 4,
	.slot =
		{
			[REG_PC] = 48,
			[REG_SP] = 60,
			[REG_NR] = 24,
			[REG_ORIG_NR] = 44,
			[REG_RET] = 24,
			[REG_ARG0] = 0,
			[REG_ARG1] = 4,
			[REG_ARG2] = 8,
			[REG_ARG3] = 12,
			[REG_ARG4] = 16,
			[REG_ARG5] = 20,
		},
	/* A 64-bit kernel numbers them as its own, so the mask is that of x86-64: r8 to r15 say nothing. */
	.perf_regs = 12,
	.perf_slot = {24, 0, 4, 8, 12, 16, 20, 60, 48, 56, 52, 64},
	.insn_len = 2,
	.syscall_insn = {0xcd, 0x80},
	.loop_len = 2,
	.loop_insn = {0xeb, 0xfe},
	.nr_execve = 11,
	.nr_execveat = 358,
	.nr_prctl = 172,
	.nr_sigtimedwait = 177,
};
