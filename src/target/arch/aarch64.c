/* SPDX-License-Identifier: GPL-2.0-or-later */
/* aarch64: struct user_pt_regs is x0 to x30, sp, pc, pstate; the kernel keeps the call's number in NT_ARM_SYSTEM_CALL.
 */
#include "isa.h"

#include <linux/audit.h>

const struct arch arch_aarch64 = {
	.name = "aarch64",
	.audit = AUDIT_ARCH_AARCH64,
	.word = 8,
	.regs_size = 34 * 8,
	.reg_width = 8,
	.slot =
		{
			[REG_PC] = 256,
			[REG_SP] = 248,
			[REG_NR] = 64,
			[REG_ORIG_NR] = ARCH_NO_REG,
			[REG_RET] = 0,
			[REG_ARG0] = 0,
			[REG_ARG1] = 8,
			[REG_ARG2] = 16,
			[REG_ARG3] = 24,
			[REG_ARG4] = 32,
			[REG_ARG5] = 40,
		},
	/* x0 to x30, sp, pc */
	.perf_regs = 33,
	.perf_slot = {0,   8,   16,  24,  32,  40,  48,  56,  64,  72,  80,  88,  96,  104, 112, 120, 128,
                      136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256},
	.insn_len = 4,
	.syscall_insn = {0x01, 0x00, 0x00, 0xd4},
	.loop_len = 4,
	.loop_insn = {0x00, 0x00, 0x00, 0x14},
	.nr_execve = 221,
	.nr_execveat = 281,
	.nr_prctl = 167,
	.nr_sigtimedwait = 137,
};
