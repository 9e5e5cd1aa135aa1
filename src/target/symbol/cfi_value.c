/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the rules of a row give, among them expressions (DWARF 5, 2.5). */
#include <exectrace/target/symbol/cfi.h>

#include "frames.h"

#define STACK 16 /* of the operations of an expression */

/* Values being computed, the last on top. */
struct values {
	uint64_t items[STACK];
	unsigned n;
	bool bad;
};

static uint64_t shorten(const struct cfi_frame *frame, uint64_t value)
{
	return frame->word < 8 ? value & ((1ull << 8 * frame->word) - 1) : value;
}

static void push(struct values *v, uint64_t value)
{
	if (v->n == STACK)
		v->bad = true;
	else
		v->items[v->n++] = value;
}

static uint64_t pop(struct values *v)
{
	if (v->n == 0)
		v->bad = true;
	return v->n ? v->items[--v->n] : 0;
}

/* Operations on the two values on top. */
static void combine(struct values *v, const struct cfi_frame *frame, unsigned op)
{
	unsigned bits = 8 * frame->word;
	uint64_t b = pop(v), a = pop(v);

	switch (op) {
	case 0x1a: /* and */
		push(v, a & b);
		break;
	case 0x1c: /* minus */
		push(v, shorten(frame, a - b));
		break;
	case 0x22: /* plus */
		push(v, shorten(frame, a + b));
		break;
	case 0x24: /* shl */
		push(v, b < bits ? shorten(frame, a << b) : 0);
		break;
	case 0x2a: /* ge, of signed numbers */
		push(v, (int64_t)(a << (64 - bits)) >= (int64_t)(b << (64 - bits)));
		break;
	default:
		v->bad = true;
	}
}

/* What an expression gives; only the operations that occur in unwind tables, so none that jump. */
static bool evaluate(const struct cfi_frame *frame, const struct cfi_rule *rule, uint64_t *result)
{
	struct reader r = {rule->expression, rule->expression + rule->n, false};
	struct values v = {.n = 0};

	while (r.at < r.end && !v.bad && !r.bad) {
		unsigned op = (unsigned)reader_take(&r, 1);
		uint64_t value = 0;

		if (op >= 0x30 && op <= 0x4f) { /* lit0 to lit31 */
			push(&v, op - 0x30);
		} else if (op >= 0x70 && op < 0x70 + frame->n) { /* breg0 ... */
			push(&v, shorten(frame, frame->registers[op - 0x70] + (uint64_t)reader_sleb(&r)));
		} else if (op == 0x06) { /* deref */
			v.bad = !frame->read(frame->user, pop(&v), &value) || v.bad;
			push(&v, value);
		} else if (op == 0x08) { /* const1u */
			push(&v, reader_take(&r, 1));
		} else if (op == 0x11) { /* consts */
			push(&v, shorten(frame, (uint64_t)reader_sleb(&r)));
		} else {
			combine(&v, frame, op);
		}
	}
	*result = pop(&v);
	return !v.bad && !r.bad;
}

bool cfi_value(const struct cfi_rule *rule, const struct cfi_frame *frame, uint64_t cfa, uint64_t *value)
{
	switch (rule->how) {
	case CFI_SAVED:
		return frame->read(frame->user, shorten(frame, cfa + (uint64_t)rule->value), value);
	case CFI_CFA:
		*value = shorten(frame, cfa + (uint64_t)rule->value);
		return true;
	case CFI_REGISTER:
		if (rule->reg < frame->n)
			*value = shorten(frame, frame->registers[rule->reg] + (uint64_t)rule->value);
		return rule->reg < frame->n;
	case CFI_SAVED_EXPRESSION:
		return evaluate(frame, rule, value) && frame->read(frame->user, *value, value);
	case CFI_EXPRESSION:
		return evaluate(frame, rule, value);
	default:
		return false;
	}
}
