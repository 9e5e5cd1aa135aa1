/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/tracee/inject.h>

#include <exectrace/target/process/mem.h>

static remote_addr_t entry_of(const struct inject *inject)
{
	return arch_reg(inject->saved.arch, inject->saved.raw, REG_PC);
}

int inject_remember(struct inject *inject, pid_t tid)
{
	int err = tracee_regs(tid, &inject->saved);

	inject->tid = tid;
	return err ? err : mem_read(tid, entry_of(inject), inject->old, inject->saved.arch->insn_len);
}

int inject_write(const struct inject *inject)
{
	const struct arch *arch = inject->saved.arch;

	return mem_poke(inject->tid, entry_of(inject), arch->syscall_insn, arch->insn_len);
}

int inject_begin(struct inject *inject, pid_t tid)
{
	int err = inject_remember(inject, tid);

	return err ? err : inject_write(inject);
}

int inject_call(const struct inject *inject, uint32_t nr, const uint64_t *args, unsigned n)
{
	struct regs regs = inject->saved;

	arch_set_reg(regs.arch, regs.raw, REG_NR, nr);
	arch_set_reg(regs.arch, regs.raw, REG_ORIG_NR, (uint64_t)-1);
	for (unsigned i = 0; i < 6; i++)
		arch_set_reg(regs.arch, regs.raw, (enum reg)(REG_ARG0 + (int)i), i < n ? args[i] : 0);
	return tracee_set_regs(inject->tid, &regs);
}

int inject_end(const struct inject *inject)
{
	int err = mem_poke(inject->tid, entry_of(inject), inject->old, inject->saved.arch->insn_len);

	return err ? err : tracee_set_regs(inject->tid, &inject->saved);
}
