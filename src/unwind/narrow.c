/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 32-bit x86 programs, which libunwind for x86-64 cannot step through: by the rules of .eh_frame (cfi.h), and by frame
 * pointers where there are none.
 */
#include "private.h"

#include <exectrace/symbol/cfi.h>
#include <string.h>
#include <sys/mman.h>

#define EBP 5 /* DWARF's numbers */
#define ESP 4
#define EIP 8
#define GENERAL 9 /* registers that are followed */
#define STACK 16  /* of the operations of an expression */

/* Byte offsets in NT_PRSTATUS (struct user_regs_struct of i386) of eax, ecx, edx, ebx, esp, ebp, esi, edi, eip. */
static const unsigned char slots[GENERAL] = {24, 4, 8, 0, 60, 20, 12, 16, 48};

struct narrow {
	struct unwind_space *space;
	uint32_t regs[GENERAL];
};

/* Values being computed, the last on top. */
struct values {
	uint32_t items[STACK];
	unsigned n;
	bool bad;
};

static bool word(struct unwind_space *space, uint64_t addr, uint32_t *value)
{
	return space_read(space, (uint32_t)addr, value, sizeof(*value)) == 0;
}

static bool is_code(struct unwind_space *space, uint32_t pc)
{
	const struct map *map = NULL;

	(void)space_module(space, pc); /* reads the maps again if need be */
	map = maps_find(&space->maps, pc);
	return map && (map->prot & PROT_EXEC);
}

static void push(struct values *v, uint32_t value)
{
	if (v->n == STACK)
		v->bad = true;
	else
		v->items[v->n++] = value;
}

static uint32_t pop(struct values *v)
{
	if (v->n == 0)
		v->bad = true;
	return v->n ? v->items[--v->n] : 0;
}

/* A signed LEB128 number that ends before `end`. */
static int64_t operand(const unsigned char **at, const unsigned char *end, struct values *v)
{
	uint64_t value = 0;
	unsigned bits = 0;
	unsigned char byte = 128;

	while (byte & 128 && *at < end) {
		byte = *(*at)++;
		if (bits < 64)
			value |= (uint64_t)(byte & 127) << bits;
		bits += 7;
	}
	v->bad = v->bad || byte & 128;
	return (int64_t)(byte & 64 && bits < 64 ? value | ~0ull << bits : value);
}

/* Operations on the two values on top. */
static void combine(struct values *v, unsigned char op)
{
	uint32_t b = pop(v), a = pop(v);

	switch (op) {
	case 0x1a:
		push(v, a & b);
		break;
	case 0x1c:
		push(v, a - b);
		break;
	case 0x22:
		push(v, a + b);
		break;
	case 0x24:
		push(v, b < 32 ? a << b : 0);
		break;
	case 0x2a:
		push(v, (int32_t)a >= (int32_t)b);
		break;
	default:
		v->bad = true;
	}
}

/* What an expression gives; only the operations that occur in unwind tables, so none that jump. */
static bool evaluate(const struct narrow *n, const struct cfi_rule *rule, struct values *v, uint32_t *result)
{
	const unsigned char *at = rule->expression, *end = at + rule->n;

	while (at < end && !v->bad) {
		unsigned char op = *at++;
		uint32_t value = 0;

		if (op >= 0x30 && op <= 0x4f) { /* lit0 to lit31 */
			push(v, op - 0x30u);
		} else if (op >= 0x70 && op < 0x70 + GENERAL) { /* breg0 ... */
			push(v, n->regs[op - 0x70] + (uint32_t)operand(&at, end, v));
		} else if (op == 0x06) { /* deref */
			v->bad = !word(n->space, pop(v), &value) || v->bad;
			push(v, value);
		} else if (op == 0x08 && at < end) { /* const1u */
			push(v, *at++);
		} else if (op == 0x11) { /* consts */
			push(v, (uint32_t)operand(&at, end, v));
		} else {
			combine(v, op);
		}
	}
	*result = pop(v);
	return !v->bad;
}

/* What a rule gives. False when it gives nothing. */
static bool apply(const struct narrow *n, const struct cfi_rule *rule, uint32_t cfa, uint32_t *value)
{
	struct values v = {.n = 0};

	switch (rule->how) {
	case CFI_SAVED:
		return word(n->space, cfa + (uint32_t)rule->value, value);
	case CFI_CFA:
		*value = cfa + (uint32_t)rule->value;
		return true;
	case CFI_REGISTER:
		*value = rule->reg < GENERAL ? n->regs[rule->reg] + (uint32_t)rule->value : 0;
		return rule->reg < GENERAL;
	case CFI_SAVED_EXPRESSION:
		return evaluate(n, rule, &v, value) && word(n->space, *value, value);
	case CFI_EXPRESSION:
		return evaluate(n, rule, &v, value);
	default:
		return rule->how == CFI_SAME;
	}
}

/* Steps to the caller by the rules of a file. False when there are none, or they lead nowhere. */
static bool by_rules(struct narrow *n, uint32_t flags, struct cfi_row *row)
{
	uint32_t pc = n->regs[EIP] - !(flags & UNWIND_EXACT), cfa = 0;
	struct module *m = space_module(n->space, pc);
	struct narrow next = *n;

	if (!m || cfi_find(m->elf, pc - m->bias, row) || row->return_register != EIP || !apply(n, &row->cfa, 0, &cfa))
		return false;
	next.regs[ESP] = cfa;
	for (unsigned i = 0; i < GENERAL; i++)
		if (row->registers[i].how != CFI_SAME && !apply(n, &row->registers[i], cfa, &next.regs[i]) && i == EIP)
			next.regs[EIP] = 0;
	*n = next;
	return true;
}

static bool by_pointer(struct narrow *n)
{
	uint32_t fp = n->regs[EBP], next = 0, pc = 0;

	if (fp <= n->regs[ESP] || fp % 4 || !word(n->space, fp, &next) || !word(n->space, (uint64_t)fp + 4, &pc) ||
	    !is_code(n->space, pc))
		return false;
	n->regs[ESP] = fp + 8;
	n->regs[EBP] = next;
	n->regs[EIP] = pc;
	return true;
}

size_t walk_narrow(struct unwind_space *space, struct unwind_frame *frames, size_t max)
{
	struct narrow n = {.space = space};
	uint32_t flags = UNWIND_EXACT;
	size_t count = 0;

	for (unsigned i = 0; i < GENERAL; i++)
		memcpy(&n.regs[i], space->regs->raw + slots[i], sizeof(n.regs[i]));
	while (count < max) {
		uint32_t pc = n.regs[EIP], sp = n.regs[ESP];
		struct cfi_row row = {.signal = false};

		if (!by_rules(&n, flags, &row) && !by_pointer(&n))
			n.regs[EIP] = 0;
		if (row.signal)
			flags |= UNWIND_SIGNAL;
		frames[count++] = (struct unwind_frame){pc, flags};
		/* Stacks grow down, but a signal handler may have one of its own. */
		if (!is_code(space, n.regs[EIP]) || (n.regs[ESP] <= sp && !row.signal))
			break;
		flags = row.signal ? UNWIND_EXACT : 0;
	}
	return count;
}
