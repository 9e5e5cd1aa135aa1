/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lengths are those of the Intel SDM, volume 2, appendix A; what compilers do not use is not known. */
#include "instruction.h"

#include <stdbool.h>
#include <string.h>

struct reading {
	const unsigned char *p;
	unsigned max, n;
	bool small; /* operands of 16 bits */
	bool wide;  /* of 64 */
};

static unsigned next(struct reading *r)
{
	return r->n < r->max ? r->p[r->n++] : (r->n = r->max + 1, 0);
}

/* The addressing bytes; the operation that they hold. */
static unsigned addressing(struct reading *r)
{
	unsigned byte = next(r), mode = byte >> 6, base = byte & 7;

	if (mode != 3 && base == 4) {
		unsigned sib = next(r);

		if (mode == 0 && (sib & 7) == 5)
			r->n += 4;
	} else if (mode == 0 && base == 5) {
		r->n += 4;
	}
	r->n += mode == 1 ? 1 : mode == 2 ? 4 : 0;
	return byte >> 3 & 7;
}

static void immediate(struct reading *r)
{
	r->n += r->small ? 2 : 4;
}

/* Behind 0f. False: not known. */
static bool two_bytes(struct reading *r)
{
	unsigned op = next(r);

	if (op == 0x05 || op == 0x0b || op == 0x31 || op == 0xa2 || (op >= 0xc8 && op <= 0xcf))
		return true;
	if ((op & 0xf0) == 0x80) {
		r->n += 4;
		return true;
	}
	if (op == 0x38 || op == 0x3a) {
		(void)next(r);
		(void)addressing(r);
		r->n += op == 0x3a;
		return true;
	}
	if (op == 0x0d || (op >= 0x10 && op <= 0x1f) || (op >= 0x28 && op <= 0x2f) || (op >= 0x40 && op <= 0x7f) ||
	    (op >= 0x90 && op <= 0x9f) || (op >= 0xa3 && op <= 0xff && op != 0xa6 && op != 0xa7 && op != 0xaa)) {
		(void)addressing(r);
		r->n += (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
		        op == 0xc4 || op == 0xc5 || op == 0xc6;
		return true;
	}
	return false;
}

/* Those with addressing bytes and an immediate. False: not known. */
static bool with_both(struct reading *r, unsigned op)
{
	if (op == 0x69 || op == 0x81 || op == 0xc7) {
		(void)addressing(r);
		immediate(r);
		return true;
	}
	if (op == 0x6b || op == 0x80 || op == 0x83 || op == 0xc0 || op == 0xc1 || op == 0xc6) {
		(void)addressing(r);
		r->n++;
		return true;
	}
	if (op == 0xf6 || op == 0xf7) {
		bool test = addressing(r) < 2;

		if (test && op == 0xf6)
			r->n++;
		else if (test)
			immediate(r);
		return true;
	}
	if (op == 0xc2)
		r->n += 2;
	return op == 0xc2;
}

/* All by the first byte. False: not known. */
static bool one_byte(struct reading *r, unsigned op)
{
	if (op < 0x40) {
		if ((op & 7) < 4)
			(void)addressing(r);
		else if ((op & 7) == 4)
			r->n++;
		else if ((op & 7) == 5)
			immediate(r);
		return (op & 7) < 6;
	}
	if ((op >= 0x50 && op <= 0x5f) || (op >= 0x90 && op <= 0x99) || op == 0xc3 || op == 0xc9 || op == 0xcc ||
	    (op >= 0xa4 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf) || op == 0xf4 || (op >= 0xf8 && op <= 0xfd))
		return true;
	if (op == 0x63 || (op >= 0x84 && op <= 0x8f) || (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf) ||
	    op == 0xfe || op == 0xff) {
		(void)addressing(r);
		return true;
	}
	if ((op >= 0x70 && op <= 0x7f) || op == 0x6a || op == 0xa8 || (op >= 0xb0 && op <= 0xb7) || op == 0xcd ||
	    (op >= 0xe0 && op <= 0xe3) || op == 0xeb) {
		r->n++;
		return true;
	}
	if (op == 0x68 || op == 0xa9 || op == 0xe8 || op == 0xe9) {
		immediate(r);
		return true;
	}
	if (op >= 0xb8 && op <= 0xbf) {
		r->n += r->wide ? 8 : r->small ? 2 : 4;
		return true;
	}
	return with_both(r, op);
}

unsigned instruction_length(const unsigned char *p, unsigned max)
{
	struct reading r = {.p = p, .max = max};
	unsigned op = next(&r);
	bool known;

	while (op == 0x66 || op == 0xf2 || op == 0xf3 || op == 0xf0 || op == 0x2e || op == 0x64 || op == 0x65) {
		r.small |= op == 0x66;
		op = next(&r);
	}
	if ((op & 0xf0) == 0x40) {
		r.wide = op & 8;
		op = next(&r);
	}
	known = op == 0x0f ? two_bytes(&r) : one_byte(&r, op);
	return known && r.n <= max ? r.n : 0;
}

/* An address by a register, with a displacement of 8 (mode 1) or 32 (mode 2) bits, and nothing else. */
static bool is_based(unsigned char byte, unsigned mode)
{
	return byte >> 6 == mode && (byte & 7) != 4;
}

/* Those that move something to or from memory. */
static unsigned moves_before(const unsigned char *end)
{
	if ((end[-5] & 0xfb) == 0x48 && end[-4] == 0x8b && (end[-3] & 0xc7) == 0x44 && end[-2] == 0x24)
		return 5; /* mov N(%rsp), %reg */
	if (end[-4] == 0x8b && (end[-3] & 0xc7) == 0x44 && end[-2] == 0x24 && (end[-5] & 0xf0) != 0x40)
		return 4;
	if ((end[-4] & 0xf8) == 0x48 && (end[-3] == 0x89 || end[-3] == 0x8b) && is_based(end[-2], 1))
		return 4; /* mov %reg, N(%reg) and back */
	if (end[-7] == 0x0f && (end[-6] & 0xfe) == 0x10 && is_based(end[-5], 2) && (end[-8] & 0xf0) != 0x40 &&
	    end[-8] != 0x66 && (end[-8] & 0xfe) != 0xf2)
		return 7; /* movups */
	return 0;
}

/* Forms that mean the same elsewhere. Bytes; 0: none of them. */
static unsigned form_before(const unsigned char *end, uint64_t nr)
{
	uint32_t number;

	memcpy(&number, end - 4, sizeof(number));
	if (end[-5] >= 0xb8 && end[-5] <= 0xbf && (end[-6] & 0xf8) == 0x40)
		return 0; /* mov of a number to r8d .. r15d, or rax: rare */
	if (end[-5] == 0xb8 && number == nr)
		return 5;
	if (end[-7] == 0x48 && end[-6] == 0xc7 && end[-5] == 0xc0 && number == nr)
		return 7;
	if (end[-5] >= 0xb9 && end[-5] <= 0xbf)
		return 5; /* another argument */
	if ((end[-3] & 0xf0) == 0x40 && end[-2] == 0x89 && (end[-1] & 0xc0) == 0xc0)
		return 3; /* mov %reg, %reg */
	if ((end[-2] == 0x31 || end[-2] == 0x33 || end[-2] == 0x89) && (end[-1] & 0xc0) == 0xc0 &&
	    (end[-3] & 0xf0) != 0x40)
		return 2; /* xor %reg, %reg */
	return moves_before(end);
}

unsigned instruction_before(const unsigned char *text, uint64_t nr)
{
	unsigned len = form_before(text + TEXT_BEFORE, nr), ways = 0;

	/* Each way of reading that comes to the call has to come by the instruction. */
	for (unsigned from = 0; len && from + len < TEXT_BEFORE; from++) {
		unsigned at = from, step = 1;
		bool by = false;

		while (at < TEXT_BEFORE && step) {
			by |= at == TEXT_BEFORE - len;
			step = instruction_length(text + at, TEXT_BEFORE + TEXT_BEHIND - at);
			at += step;
		}
		if (at != TEXT_BEFORE || !step)
			continue;
		ways++;
		if (!by && TEXT_BEFORE - from > 24)
			return 0;
	}
	return ways ? len : 0;
}
