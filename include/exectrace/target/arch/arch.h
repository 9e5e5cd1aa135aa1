/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between instruction sets, as const tables. All are compiled on every host, so that a trace made
 * elsewhere can be read; only the tracee layer needs to be at home on the machine it runs on.
 */
#ifndef EXECTRACE_TARGET_ARCH_ARCH_H
#define EXECTRACE_TARGET_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The registers that code above this layer names. */
enum reg {
	REG_PC,
	REG_SP,
	REG_NR,      /* system call number before the call */
	REG_ORIG_NR, /* the kernel's memory of it: -1 stops it from restarting a call (ptrace(2), x86: orig_rax) */
	REG_RET,     /* result after the call */
	REG_ARG0,
	REG_ARG1,
	REG_ARG2,
	REG_ARG3,
	REG_ARG4,
	REG_ARG5,
	REG_COUNT
};

#define ARCH_INSN_MAX 4   /* bytes of the longest instruction in the tables */
#define ARCH_REGS_MAX 512 /* bytes of the largest NT_PRSTATUS block */
#define ARCH_PERF_REGS 33 /* registers that perf_event_open(2) numbers at most */
#define ARCH_NO_REG (-1)

struct arch {
	const char *name;
	uint32_t audit;                    /* AUDIT_ARCH_* of its system calls, as seccomp(2) reports it */
	uint32_t nr_bit;                   /* set in every number of this ABI (x32), else 0 */
	unsigned word;                     /* bytes of a pointer in argv */
	unsigned regs_size;                /* bytes of NT_PRSTATUS */
	unsigned reg_width;                /* bytes of one slot */
	int16_t slot[REG_COUNT];           /* byte offset in NT_PRSTATUS; ARCH_NO_REG when there is none */
	uint8_t perf_regs;                 /* how many perf_event_open(2) numbers (asm/perf_regs.h) */
	int16_t perf_slot[ARCH_PERF_REGS]; /* byte offset in NT_PRSTATUS of each; ARCH_NO_REG: cannot be asked for */
	uint8_t insn_len;                  /* bytes of `syscall_insn` */
	uint8_t syscall_insn[ARCH_INSN_MAX];
	uint8_t loop_len;
	uint8_t loop_insn[ARCH_INSN_MAX]; /* a jump to itself */
	uint32_t nr_execve;
	uint32_t nr_execveat;
	uint32_t nr_prctl;
	uint32_t nr_sigtimedwait;
};

/* The registers of a stopped thread, with the architecture they are laid out for. */
struct regs {
	const struct arch *arch;
	unsigned char raw[ARCH_REGS_MAX];
};

/* The table of a system call's ABI by its audit architecture and number; NULL when unknown. */
const struct arch *arch_by_call(uint32_t audit, uint32_t nr);

/* The table by name ("x86_64", "i386", "x32", "aarch64"); NULL when unknown. */
const struct arch *arch_by_name(const char *name);

/* The table of the machine this is compiled for; NULL when there is none. */
const struct arch *arch_native(void);

/* The n-th table, NULL after the last: to walk them all. */
const struct arch *arch_at(size_t n);

/* True when nr is execve or execveat of this ABI. */
bool arch_is_exec(const struct arch *arch, uint32_t nr);

/* A register out of an NT_PRSTATUS block of this architecture; 0 when there is no such register. */
uint64_t arch_reg(const struct arch *arch, const void *regs, enum reg reg);

/*
 * The registers that perf_event_open(2) can be asked for, as bits of its sample_regs_user. A 64-bit kernel takes those
 * of its own architecture for 32-bit programs too.
 */
uint64_t arch_perf_mask(const struct arch *arch);

/*
 * Makes an NT_PRSTATUS block out of the n values that a sample with the registers `mask` has, in the order of their
 * numbers. What the sample does not have is 0. False when there are not as many as the mask says.
 */
bool arch_perf_regs(const struct arch *arch, uint64_t mask, const uint64_t *values, size_t n, void *regs);

/* Sets a register in an NT_PRSTATUS block; a register that does not exist is ignored. */
void arch_set_reg(const struct arch *arch, void *regs, enum reg reg, uint64_t value);

#endif
