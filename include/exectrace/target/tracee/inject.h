/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls on behalf of a thread stopped at the end of its execve, before its first instruction. The instruction is
 * written over the entry point and taken back afterwards.
 */
#ifndef EXECTRACE_TARGET_TRACEE_INJECT_H
#define EXECTRACE_TARGET_TRACEE_INJECT_H

#include <exectrace/target/tracee/ptrace.h>
#include <stdbool.h>

/* What must be put back. */
struct inject {
	pid_t tid;
	struct regs saved;
	uint8_t old[ARCH_INSN_MAX];
};

/* Remembers registers and text, and writes the system-call instruction. 0 or -errno (nothing changed then). */
int inject_begin(struct inject *inject, pid_t tid);

/* The two halves of it: from the first on inject_end is possible. */
int inject_remember(struct inject *inject, pid_t tid);
int inject_write(const struct inject *inject);

/* Sets the registers for call nr with up to six arguments; the caller lets the thread run. 0 or -errno. */
int inject_call(const struct inject *inject, uint32_t nr, const uint64_t *args, unsigned n);

/* Puts text and registers back. 0 or -errno. */
int inject_end(const struct inject *inject);

#endif
