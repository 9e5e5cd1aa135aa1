/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/symbol/cfi.h>

#include "frames.h"
#include <errno.h>

#define REMEMBERED 8 /* rows that a program may put aside at a time; compilers use one */

/* A program of call frame instructions being run. */
struct cfi_machine {
	const struct cie *cie;
	const struct elf *elf;
	struct reader code;
	uint64_t pc;     /* the row that is being made is for this and what follows */
	uint64_t target; /* vaddr that is asked for */
	struct cfi_row row;
	struct cfi_row first; /* after the CIE's program */
	struct cfi_row aside[REMEMBERED];
	unsigned n_aside;
	bool bad;
};

/* Sets the rule of a register, if it is one we keep. */
static void set(struct cfi_machine *m, uint64_t reg, struct cfi_rule rule)
{
	if (reg < CFI_REGISTERS)
		m->row.registers[reg] = rule;
}

static void set_offset(struct cfi_machine *m, uint64_t reg, enum cfi_how how, int64_t factored)
{
	int64_t value = (int64_t)((uint64_t)factored * (uint64_t)m->cie->data_factor);

	set(m, reg, (struct cfi_rule){.how = how, .value = value});
}

static void restore(struct cfi_machine *m, uint64_t reg)
{
	if (reg < CFI_REGISTERS)
		m->row.registers[reg] = m->first.registers[reg];
}

static void set_cfa(struct cfi_machine *m, uint64_t reg, int64_t value)
{
	m->bad = m->bad || reg >= CFI_REGISTERS;
	m->row.cfa = (struct cfi_rule){.how = CFI_REGISTER, .reg = (uint32_t)reg, .value = value};
}

static struct cfi_rule expression(struct cfi_machine *m, enum cfi_how how)
{
	struct cfi_rule rule = {.how = how, .n = reader_leb(&m->code)};

	rule.expression = m->code.at;
	if (rule.n > (size_t)(m->code.end - m->code.at))
		m->bad = true;
	else
		m->code.at += rule.n;
	return rule;
}

static void advance(struct cfi_machine *m, uint64_t by)
{
	m->pc += by * m->cie->code_factor;
}

/* DW_CFA_remember_state and DW_CFA_restore_state. */
static void put_aside(struct cfi_machine *m)
{
	if (m->n_aside == REMEMBERED)
		m->bad = true;
	else
		m->aside[m->n_aside++] = m->row;
}

static void take_back(struct cfi_machine *m)
{
	if (m->n_aside == 0)
		m->bad = true;
	else
		m->row = m->aside[--m->n_aside];
}

/* The instructions about the CFA. False when op is none of them. */
static bool about_cfa(struct cfi_machine *m, unsigned op)
{
	struct reader *r = &m->code;
	uint64_t reg = 0;

	switch (op) {
	case 0x0c: /* def_cfa */
		reg = reader_leb(r);
		set_cfa(m, reg, (int64_t)reader_leb(r));
		return true;
	case 0x0d: /* def_cfa_register */
		set_cfa(m, reader_leb(r), m->row.cfa.value);
		return true;
	case 0x0e: /* def_cfa_offset */
		m->row.cfa.value = (int64_t)reader_leb(r);
		return true;
	case 0x0f: /* def_cfa_expression */
		m->row.cfa = expression(m, CFI_EXPRESSION);
		return true;
	case 0x12: /* def_cfa_sf */
		reg = reader_leb(r);
		set_cfa(m, reg, (int64_t)((uint64_t)reader_sleb(r) * (uint64_t)m->cie->data_factor));
		return true;
	case 0x13: /* def_cfa_offset_sf */
		m->row.cfa.value = (int64_t)((uint64_t)reader_sleb(r) * (uint64_t)m->cie->data_factor);
		return true;
	default:
		return false;
	}
}

/* The instructions about a register, which is their first operand. */
static void about_register(struct cfi_machine *m, unsigned op)
{
	struct reader *r = &m->code;
	uint64_t reg = reader_leb(r);

	switch (op) {
	case 0x05: /* offset_extended */
		set_offset(m, reg, CFI_SAVED, (int64_t)reader_leb(r));
		break;
	case 0x06: /* restore_extended */
		restore(m, reg);
		break;
	case 0x07: /* undefined */
		set(m, reg, (struct cfi_rule){.how = CFI_UNDEFINED});
		break;
	case 0x08: /* same_value */
		set(m, reg, (struct cfi_rule){.how = CFI_SAME});
		break;
	case 0x09: { /* register */
		uint64_t from = reader_leb(r);

		m->bad = m->bad || from >= CFI_REGISTERS;
		set(m, reg, (struct cfi_rule){.how = CFI_REGISTER, .reg = (uint32_t)from});
		break;
	}
	case 0x10: /* expression */
		set(m, reg, expression(m, CFI_SAVED_EXPRESSION));
		break;
	case 0x11: /* offset_extended_sf */
		set_offset(m, reg, CFI_SAVED, reader_sleb(r));
		break;
	case 0x14: /* val_offset */
		set_offset(m, reg, CFI_CFA, (int64_t)reader_leb(r));
		break;
	case 0x15: /* val_offset_sf */
		set_offset(m, reg, CFI_CFA, reader_sleb(r));
		break;
	case 0x16: /* val_expression */
		set(m, reg, expression(m, CFI_EXPRESSION));
		break;
	case 0x2e: /* GNU_args_size: its operand was read */
		break;
	default:
		m->bad = true;
	}
}

static void step(struct cfi_machine *m)
{
	unsigned op = (unsigned)reader_take(&m->code, 1);

	switch (op & 0xc0) {
	case 0x40: /* advance_loc */
		advance(m, op & 63);
		return;
	case 0x80: /* offset */
		set_offset(m, op & 63, CFI_SAVED, (int64_t)reader_leb(&m->code));
		return;
	case 0xc0: /* restore */
		restore(m, op & 63);
		return;
	default:
		break;
	}
	if (op == 0x02 || op == 0x03 || op == 0x04) /* advance_loc1, 2, 4 */
		advance(m, reader_take(&m->code, 1u << (op - 2)));
	else if (op == 0x0a)
		put_aside(m);
	else if (op == 0x0b)
		take_back(m);
	else if (op != 0 && !about_cfa(m, op))
		about_register(m, op);
}

/* Runs a program up to the row of the target. False when it is malformed. */
static bool run(struct cfi_machine *m, struct reader code)
{
	struct cfi_row row = m->row;

	m->code = code;
	while (m->code.at < m->code.end && !m->bad && !m->code.bad && m->pc <= m->target) {
		row = m->row;
		step(m);
	}
	if (m->pc > m->target)
		m->row = row;
	return !m->bad && !m->code.bad;
}

/* The last pair that does not begin behind vaddr. */
static const struct elf_pair *search(struct elf *elf, uint64_t vaddr)
{
	uint64_t base = 0;
	size_t low = 0, high = 0;
	const struct elf_pair *pairs = elf_unwind_index(elf, &base, &high);

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (base + (uint64_t)(int64_t)pairs[mid].function <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &pairs[low - 1] : NULL;
}

int cfi_find(struct elf *elf, uint64_t vaddr, struct cfi_row *row)
{
	struct cfi_machine m = {.elf = elf, .target = vaddr};
	const struct elf_pair *pair = search(elf, vaddr);
	const unsigned char *start = NULL;
	const struct elf_section *s = &elf->frames;
	struct reader r;
	struct cie cie;
	uint64_t id = 0, begin = 0, length = 0;

	if (!pair)
		return -ENOENT;
	start = elf->data + s->offset;
	if (!frames_enter(start + pair->fde, start + s->size, &r, &id) || !id || !frames_cie(elf, s, &r, id, &cie))
		return -EBADMSG;
	begin = reader_coded(&r, elf, cie.coding, s->addr + (uint64_t)(r.at - start));
	length = reader_coded(&r, elf, cie.coding & 15, 0);
	if (vaddr - begin >= length)
		return -ENOENT;
	if (cie.augmented) {
		uint64_t skip = reader_leb(&r);

		if (skip > (uint64_t)(r.end - r.at))
			return -EBADMSG;
		r.at += skip;
	}
	m.cie = &cie;
	m.pc = begin;
	m.bad = cie.return_register >= CFI_REGISTERS;
	if (r.bad || !run(&m, cie.program))
		return -EBADMSG;
	m.first = m.row;
	if (!run(&m, r))
		return -EBADMSG;
	*row = m.row;
	row->return_register = (uint32_t)cie.return_register;
	row->signal = cie.signal;
	return 0;
}
