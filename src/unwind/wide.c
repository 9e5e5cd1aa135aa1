/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common case of a 64-bit program by itself: all frames have plain rules, which are remembered by address.
 * libunwind remembers them too, but blocks all signals twice for each frame, which costs more than all else.
 */
#include "private.h"

#include <stdlib.h>
#include <string.h>

#define WORD 8u
#define RSP 7u
#define RETURN 16u

static unsigned slot(uint64_t pc)
{
	return (unsigned)((pc ^ pc >> 12) % STEPS);
}

/* Makes the rule out of the row, when that is a plain one. */
static void simplify(struct step *step, const struct cfi_row *row)
{
	step->n = 0;
	step->usable = false;
	if (row->signal || row->return_register != RETURN || row->cfa.how != CFI_REGISTER || row->cfa.reg >= RETURN)
		return;
	step->cfa_reg = (uint8_t)row->cfa.reg;
	step->cfa_offset = row->cfa.value;
	for (uint8_t reg = 0; reg <= RETURN; reg++) {
		const struct cfi_rule *rule = &row->registers[reg];

		if (rule->how == CFI_SAME || rule->how == CFI_UNDEFINED || (reg == RSP && rule->how == CFI_CFA))
			continue;
		if (rule->how != CFI_SAVED || step->n == STEP_SAVED)
			return;
		step->saved[step->n].reg = reg;
		step->saved[step->n++].offset = rule->value;
	}
	step->last = row->registers[RETURN].how == CFI_UNDEFINED;
	step->usable = step->last || row->registers[RETURN].how == CFI_SAVED;
}

/* The rule at an address; NULL when there is none that could be remembered. */
static const struct step *find_step(struct unwind_space *space, uint64_t pc)
{
	struct step *step = &space->steps[slot(pc)];
	struct cfi_row row;
	const struct module *m = NULL;

	if (step->pc == pc)
		return step;
	m = space_module(space, pc);
	if (!m || cfi_find(m->elf, pc - m->bias, &row))
		return NULL;
	simplify(step, &row);
	step->pc = pc;
	return step;
}

/* Makes the registers those of the caller. False when that cannot be. */
static bool step_out(struct unwind_space *space, const struct step *step, uint64_t *regs)
{
	uint64_t cfa = regs[step->cfa_reg] + (uint64_t)step->cfa_offset;

	if (cfa <= regs[RSP])
		return false;
	for (unsigned i = 0; i < step->n; i++) {
		if (space_read(space, cfa + (uint64_t)step->saved[i].offset, &regs[step->saved[i].reg], WORD))
			return false;
	}
	regs[RSP] = cfa;
	return true;
}

size_t walk_wide(struct unwind_space *space, struct unwind_frame *frames, size_t max)
{
	uint64_t regs[RETURN + 1];
	uint32_t flags = UNWIND_EXACT;
	size_t n = 0;

	if (!space->steps)
		space->steps = calloc(STEPS, sizeof(*space->steps));
	if (!space->steps || !space_regs(space, regs))
		return 0;
	for (;;) {
		const struct step *step = find_step(space, regs[RETURN] - !flags);

		frames[n++] = (struct unwind_frame){regs[RETURN], flags};
		if (n == max)
			return n;
		if (!step || !step->usable)
			return 0;
		if (step->last)
			return n;
		if (!step_out(space, step, regs))
			return 0;
		if (!regs[RETURN])
			return n;
		flags = 0;
	}
}
