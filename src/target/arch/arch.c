/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/arch/arch.h>

#include "isa.h"
#include <string.h>

static const struct arch *const all[] = {&arch_x86_64, &arch_i386, &arch_x32, &arch_aarch64};

const struct arch *arch_at(size_t n)
{
	return n < sizeof(all) / sizeof(all[0]) ? all[n] : NULL;
}

const struct arch *arch_by_call(uint32_t audit, uint32_t nr)
{
	const struct arch *found = NULL;

	for (size_t i = 0; arch_at(i); i++) {
		const struct arch *arch = arch_at(i);

		if (arch->audit != audit)
			continue;
		if (arch->nr_bit ? (nr & arch->nr_bit) != 0 : !found)
			found = arch;
	}
	return found;
}

const struct arch *arch_by_name(const char *name)
{
	for (size_t i = 0; arch_at(i); i++) {
		if (strcmp(arch_at(i)->name, name) == 0)
			return arch_at(i);
	}
	return NULL;
}

bool arch_is_exec(const struct arch *arch, uint32_t nr)
{
	return nr == arch->nr_execve || nr == arch->nr_execveat;
}

uint64_t arch_reg(const struct arch *arch, const void *regs, enum reg reg)
{
	uint64_t wide = 0;
	uint32_t narrow = 0;

	if (arch->slot[reg] == ARCH_NO_REG)
		return 0;
	if (arch->reg_width == 8) {
		memcpy(&wide, (const char *)regs + arch->slot[reg], sizeof(wide));
		return wide;
	}
	memcpy(&narrow, (const char *)regs + arch->slot[reg], sizeof(narrow));
	return narrow;
}

static void set_slot(const struct arch *arch, void *regs, int16_t slot, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	if (arch->reg_width == 8)
		memcpy((char *)regs + slot, &value, sizeof(value));
	else
		memcpy((char *)regs + slot, &narrow, sizeof(narrow));
}

void arch_set_reg(const struct arch *arch, void *regs, enum reg reg, uint64_t value)
{
	if (arch->slot[reg] != ARCH_NO_REG)
		set_slot(arch, regs, arch->slot[reg], value);
}

uint64_t arch_perf_mask(const struct arch *arch)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < arch->perf_regs; i++)
		if (arch->perf_slot[i] != ARCH_NO_REG)
			mask |= 1ull << i;
	return mask;
}

bool arch_perf_regs(const struct arch *arch, uint64_t mask, const uint64_t *values, size_t n, void *regs)
{
	size_t at = 0;

	memset(regs, 0, arch->regs_size);
	for (unsigned i = 0; i < 64; i++) {
		if (!(mask >> i & 1))
			continue;
		if (at == n)
			return false;
		if (i < arch->perf_regs && arch->perf_slot[i] != ARCH_NO_REG)
			set_slot(arch, regs, arch->perf_slot[i], values[at]);
		at++;
	}
	return at == n;
}

const struct arch *arch_native(void)
{
#if defined(__x86_64__) && defined(__LP64__)
	return &arch_x86_64;
#elif defined(__aarch64__)
	return &arch_aarch64;
#else
	return NULL;
#endif
}
