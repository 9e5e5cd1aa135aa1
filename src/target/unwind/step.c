/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps by the rules of .eh_frame (cfi.h), for both word sizes of x86. Plain rules, which nearly all frames have, are
 * remembered by address. libunwind remembers them too, but blocks all signals twice for each frame, which costs more
 * than all else; it has the frames without rules. It cannot read 32-bit programs: there frame pointers are followed.
 */
#include "private.h"

#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The registers of an instruction set, by DWARF's numbers. */
struct step_machine {
	uint32_t audit; /* AUDIT_ARCH_* */
	uint8_t word;   /* bytes */
	uint8_t n;      /* registers that are followed */
	uint8_t sp, fp, pc;
	bool own;             /* libunwind cannot step here */
	const uint8_t *slots; /* byte offsets in NT_PRSTATUS; NULL: they are numbered as they are stored, no stepping */
};

/* rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip in struct user_regs_struct. */
static const uint8_t wide[] = {80, 96, 88, 40, 104, 112, 32, 152, 72, 64, 56, 48, 24, 16, 8, 0, 128};
/* eax, ecx, edx, ebx, esp, ebp, esi, edi, eip in that of i386. */
static const uint8_t narrow[] = {24, 4, 8, 0, 60, 20, 12, 16, 48};

static const struct step_machine machines[] = {
	{AUDIT_ARCH_X86_64, 8, sizeof(wide), 7, 6, 16, false, wide},
	{AUDIT_ARCH_I386, 4, sizeof(narrow), 4, 5, 8, true, narrow},
	{AUDIT_ARCH_AARCH64, 8, 33, 31, 29, 32, false, NULL},
};

/* A walk: the frame that it is at. */
struct walk {
	struct unwind_space *space;
	const struct step_machine *machine;
	struct cfi_frame frame;
	struct cfi_row row; /* the rules here, where they are not plain */
};

static const struct step_machine *machine_of(const struct unwind_space *space)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].audit == space->regs->arch->audit)
			return &machines[i];
	return NULL;
}

static uint64_t register_at(const struct unwind_space *space, const struct step_machine *m, unsigned reg)
{
	const unsigned char *at = space->regs->raw + (m->slots ? m->slots[reg] : reg * m->word);
	uint64_t value = 0;

	if (m->word == sizeof(value))
		memcpy(&value, at, sizeof(value));
	else
		memcpy(&value, at, sizeof(uint32_t));
	return value;
}

bool space_register(const struct unwind_space *space, unsigned reg, uint64_t *value)
{
	const struct step_machine *m = machine_of(space);

	if (!m || reg >= m->n)
		return false;
	*value = register_at(space, m, reg);
	return true;
}

static bool read_word(void *user, uint64_t address, uint64_t *value)
{
	struct walk *w = user;
	uint64_t got = 0;

	if (space_read(w->space, address, &got, w->frame.word))
		return false;
	*value = got;
	return true;
}

static bool is_code(struct unwind_space *space, uint64_t pc)
{
	const struct map *map = NULL;

	(void)space_module(space, pc); /* reads the maps again if need be */
	map = maps_find(&space->maps, pc);
	return map && (map->prot & PROT_EXEC);
}

/* Makes the plain rules out of the row, when that has only such. */
static void simplify(struct step *step, const struct cfi_row *row, const struct step_machine *m)
{
	step->n = 0;
	step->plain = false;
	step->last = row->registers[m->pc].how == CFI_UNDEFINED;
	if (row->signal || row->cfa.how != CFI_REGISTER || row->cfa.reg >= m->pc)
		return;
	step->cfa_reg = (uint8_t)row->cfa.reg;
	step->cfa_offset = row->cfa.value;
	for (uint8_t reg = 0; reg < m->n; reg++) {
		const struct cfi_rule *rule = &row->registers[reg];

		if (rule->how == CFI_SAME || rule->how == CFI_UNDEFINED || (reg == m->sp && rule->how == CFI_CFA))
			continue;
		if (rule->how != CFI_SAVED || step->n == STEP_SAVED)
			return;
		step->saved[step->n].reg = reg;
		step->saved[step->n++].offset = rule->value;
	}
	step->plain = step->last || row->registers[m->pc].how == CFI_SAVED;
}

/* The rules at an address; w->row has them where they are not plain. NULL when there are none. */
static const struct step *find_step(struct walk *w, uint64_t pc)
{
	struct step *step = &w->space->steps[(pc ^ pc >> 12) % STEPS];
	const struct unwind_module *m = NULL;

	if (step->pc == pc && step->word == w->frame.word && step->plain)
		return step;
	m = space_module(w->space, pc);
	if (!m || cfi_find(m->elf, pc - m->bias, &w->row) || w->row.return_register != w->machine->pc)
		return NULL;
	simplify(step, &w->row, w->machine);
	step->pc = pc;
	step->word = (uint8_t)w->frame.word;
	return step;
}

/* Makes the registers those of the caller, by plain rules. False when that cannot be. */
static bool step_plainly(struct walk *w, const struct step *step)
{
	uint64_t *regs = w->frame.registers, cfa = regs[step->cfa_reg] + (uint64_t)step->cfa_offset;
	uint64_t mask = w->frame.word == 8 ? UINT64_MAX : UINT32_MAX;

	cfa &= mask;
	if (cfa <= regs[w->machine->sp])
		return false;
	for (unsigned i = 0; i < step->n; i++) {
		uint64_t at = (cfa + (uint64_t)step->saved[i].offset) & mask;

		/* Of a short word the upper half is 0 already. */
		if (space_read(w->space, at, &regs[step->saved[i].reg], w->frame.word))
			return false;
	}
	regs[w->machine->sp] = cfa;
	return true;
}

/* A step by any rules. Stacks grow down, but a signal handler may have one of its own. */
static bool step_by_row(struct walk *w)
{
	struct cfi_frame next = w->frame;
	unsigned sp = w->machine->sp;
	uint64_t cfa = 0;

	if (!cfi_value(&w->row.cfa, &w->frame, 0, &cfa))
		return false;
	next.registers[sp] = cfa;
	for (unsigned i = 0; i < next.n; i++) {
		const struct cfi_rule *rule = &w->row.registers[i];

		if (rule->how != CFI_SAME && rule->how != CFI_UNDEFINED &&
		    !cfi_value(rule, &w->frame, cfa, &next.registers[i]))
			return false;
	}
	if (next.registers[sp] <= w->frame.registers[sp] && !w->row.signal)
		return false;
	w->frame = next;
	return true;
}

static bool step_by_pointer(struct walk *w)
{
	const struct step_machine *m = w->machine;
	uint64_t *regs = w->frame.registers, fp = regs[m->fp], next = 0, pc = 0;

	if (fp <= regs[m->sp] || fp % m->word || !read_word(w, fp, &next) || !read_word(w, fp + m->word, &pc) ||
	    !is_code(w->space, pc))
		return false;
	regs[m->sp] = fp + 2u * m->word;
	regs[m->fp] = next;
	regs[m->pc] = pc;
	return true;
}

/* Begins with the registers of the stack. False when it is libunwind that knows this machine, or memory ends. */
static bool begin(struct walk *w, struct unwind_space *space)
{
	w->space = space;
	w->machine = machine_of(space);
	if (!w->machine || !w->machine->slots)
		return false;
	if (!space->steps)
		space->steps = calloc(STEPS, sizeof(*space->steps));
	w->frame.word = w->machine->word;
	w->frame.n = w->machine->n;
	w->frame.read = read_word;
	w->frame.user = w;
	for (unsigned i = 0; i < w->frame.n; i++)
		w->frame.registers[i] = register_at(space, w->machine, i);
	return space->steps;
}

size_t walk_by_rules(struct unwind_space *space, struct unwind_frame *frames, size_t max)
{
	struct walk w;
	uint32_t flags = UNWIND_EXACT;
	size_t n = 0;
	bool ok = begin(&w, space);

	while (ok && n < max) {
		uint64_t pc = w.frame.registers[w.machine->pc];
		const struct step *step = n && !pc ? NULL : find_step(&w, pc - !(flags & UNWIND_EXACT));
		bool signal = step && !step->plain && w.row.signal;

		if (n && !step && (!pc || (w.machine->own && !is_code(space, pc))))
			return n;
		frames[n++] = (struct unwind_frame){pc, signal ? flags | UNWIND_SIGNAL : flags};
		if (n == max || (step && step->last))
			return n;
		if (step && step->plain)
			ok = step_plainly(&w, step);
		else
			ok = step ? step_by_row(&w) : w.machine->own && step_by_pointer(&w);
		flags = signal ? UNWIND_EXACT : 0;
	}
	return !ok && w.machine && !w.machine->own ? 0 : n;
}
