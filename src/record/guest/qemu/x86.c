/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "x86.h"

#include <string.h>

#define REX 0x40
#define REX_B 1
#define REX_X 2

/* The bytes in front of the opcode. How many; *rex and *segment are set. */
static size_t prefixes(const uint8_t *bytes, size_t n, uint8_t *rex, bool *segment)
{
	static const uint8_t legacy[] = {0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65};
	size_t i = 0;

	for (; i < n; i++) {
		if ((bytes[i] & 0xf0) == REX) {
			*rex = bytes[i];
		} else if (memchr(legacy, bytes[i], sizeof(legacy))) {
			*rex = 0;
			*segment |= bytes[i] == 0x64 || bytes[i] == 0x65;
		} else {
			break;
		}
	}
	return i;
}

static int32_t get32(const uint8_t *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The displacement of 0, 1 or 4 bytes behind ModRM and SIB. False: it is not whole. */
static bool displacement(const uint8_t *p, size_t n, unsigned mod, struct x86_operand *op)
{
	unsigned size = mod == 1 ? 1 : mod == 2 || op->base == X86_RIP || op->base == X86_NONE ? 4 : 0;

	if (size > n)
		return false;
	if (size == 1)
		op->offset = (uint64_t)(int64_t)(int8_t)*p;
	else if (size == 4)
		op->offset = (uint64_t)(int64_t)get32(p);
	return true;
}

/* ModRM and what follows it: the n bytes at p. */
static bool operand(const uint8_t *p, size_t n, uint8_t rex, struct x86_operand *op)
{
	unsigned mod = *p >> 6, rm = *p & 7;
	uint8_t high = rex & REX_B ? 8 : 0;

	op->index = X86_NONE;
	op->scale = 1;
	op->memory = mod != 3;
	op->base = (uint8_t)(rm | high);
	if (!op->memory)
		return true;
	p++;
	n--;
	if (rm == 4) { /* SIB */
		if (!n)
			return false;
		op->scale = (uint8_t)(1 << (*p >> 6));
		op->index = (uint8_t)((*p >> 3 & 7) | (rex & REX_X ? 8 : 0));
		if (op->index == X86_RSP)
			op->index = X86_NONE;
		op->base = (*p & 7) == 5 && mod == 0 ? X86_NONE : (uint8_t)((*p & 7) | high);
		p++;
		n--;
	} else if (rm == 5 && mod == 0) {
		op->base = X86_RIP;
	}
	return displacement(p, n, mod, op);
}

/* The group of opcodes FF: /2 is a call, /4 a jump; far ones (/3, /5) go where code that we follow never does. */
static enum x86_flow group5(const uint8_t *p, size_t n, uint8_t rex, struct x86_operand *op)
{
	unsigned which = n < 2 ? 0 : p[1] >> 3 & 7;

	if ((which != 2 && which != 4) || !operand(p + 1, n - 1, rex, op))
		return X86_OTHER;
	return which == 2 ? X86_CALL_INDIRECT : X86_JUMP_INDIRECT;
}

static void fixed(struct x86_insn *ret, enum x86_flow flow, uint64_t behind, int64_t distance)
{
	ret->flow = flow;
	ret->target = behind + (uint64_t)distance;
}

/* Jumps of two bytes, and the long conditional ones. */
static void branch(const uint8_t *p, size_t n, uint64_t behind, struct x86_insn *ret)
{
	if (n >= 6 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80)
		fixed(ret, X86_BRANCH, behind, get32(p + 2));
	else if (n >= 2 && p[0] == 0xeb)
		fixed(ret, X86_JUMP, behind, (int8_t)p[1]);
	else if (n >= 2 && ((p[0] & 0xf0) == 0x70 || (p[0] & 0xfc) == 0xe0))
		fixed(ret, X86_BRANCH, behind, (int8_t)p[1]);
}

void x86_look(const uint8_t *bytes, size_t n, uint64_t address, struct x86_insn *ret)
{
	bool segment = false;
	uint8_t rex = 0;
	size_t i = prefixes(bytes, n, &rex, &segment);

	*ret = (struct x86_insn){.flow = X86_OTHER};
	if (i >= n)
		return;
	switch (bytes[i]) {
	case 0xe8:
	case 0xe9:
		if (n - i < 5)
			return;
		fixed(ret, bytes[i] == 0xe8 ? X86_CALL : X86_JUMP, address + n, get32(bytes + i + 1));
		return;
	case 0xc2:
	case 0xc3:
		ret->flow = X86_RETURN;
		return;
	case 0xcf:
		ret->flow = X86_IRET;
		return;
	case 0xff:
		ret->flow = group5(bytes + i, n - i, rex, &ret->operand);
		ret->operand.segment = segment;
		if (ret->operand.memory && ret->operand.base == X86_RIP)
			ret->operand.offset += address + n;
		return;
	default:
		branch(bytes + i, n - i, address + n, ret);
		return;
	}
}

/* How many of the n bytes are an endbr64 or endbr32, which may be where an indirect jump leads to. */
static size_t landing(const uint8_t *bytes, size_t n)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e};
	bool is = n > sizeof(endbr) && memcmp(bytes, endbr, sizeof(endbr)) == 0 && (bytes[3] & 0xfe) == 0xfa;

	return is ? sizeof(endbr) + 1 : 0;
}

bool x86_is_stub(const uint8_t *bytes, size_t n, struct x86_stub *ret)
{
	size_t at = landing(bytes, n);

	if (at < n && bytes[at] == 0xf2) /* bnd */
		at++;
	if (n - at < 6 || bytes[at] != 0xff || bytes[at + 1] != 0x25)
		return false;
	*ret = (struct x86_stub){(uint8_t)(at + 6), get32(bytes + at + 2)};
	return true;
}

bool x86_is_unbound(const uint8_t *bytes, size_t n)
{
	size_t at = landing(bytes, n), jump = at + 5;

	if (n <= jump || bytes[at] != 0x68)
		return false;
	return bytes[jump] == 0xe9 || (bytes[jump] == 0xf2 && jump + 1 < n && bytes[jump + 1] == 0xe9);
}

bool x86_may_be_call(const uint8_t *bytes)
{
	if (bytes[X86_BEHIND - 5] == 0xe8)
		return true;
	for (size_t n = 2; n <= X86_BEHIND; n++) {
		const uint8_t *p = bytes + X86_BEHIND - n;

		if (p[0] == 0xff && (p[1] >> 3 & 7) == 2)
			return true;
	}
	return false;
}

uint64_t x86_address(const struct x86_operand *operand, const uint64_t *registers)
{
	uint64_t address = operand->offset;

	if (operand->base < 16)
		address += registers[operand->base];
	if (operand->index < 16)
		address += registers[operand->index] * operand->scale;
	return address;
}
