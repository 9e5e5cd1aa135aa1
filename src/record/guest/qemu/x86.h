/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an x86 instruction at the end of a block does to the flow of control. */
#ifndef EXECTRACE_SRC_RECORD_GUEST_QEMU_X86_H
#define EXECTRACE_SRC_RECORD_GUEST_QEMU_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum x86_flow {
	X86_OTHER,
	X86_CALL,          /* to a fixed address */
	X86_CALL_INDIRECT, /* to what a register or memory holds */
	X86_JUMP,          /* to a fixed address, always */
	X86_JUMP_INDIRECT, /* to what a register or memory holds */
	X86_BRANCH,        /* to a fixed address, or on */
	X86_RETURN,
	X86_IRET,
};

#define X86_MAX 15   /* bytes of an instruction */
#define X86_NONE 255 /* no register */
#define X86_RIP 254  /* the address behind the instruction */
#define X86_RSP 4
#define X86_R11 11

/* Where an indirect call or jump finds its target: a register, or 8 bytes at base + index * scale + offset. */
struct x86_operand {
	bool memory;
	bool segment;    /* relative to FS or GS: not to be known */
	uint8_t base;    /* register, X86_RIP or X86_NONE; the register itself when it is not memory */
	uint8_t index;   /* register or X86_NONE */
	uint8_t scale;   /* 1, 2, 4, 8 */
	uint64_t offset; /* with the address behind the instruction where base is X86_RIP */
};

struct x86_insn {
	enum x86_flow flow;
	uint64_t target;            /* X86_CALL, X86_JUMP, X86_BRANCH */
	struct x86_operand operand; /* X86_CALL_INDIRECT, X86_JUMP_INDIRECT */
};

/* Looks at the n bytes of 64-bit code at `address`, which are one instruction. */
void x86_look(const uint8_t *bytes, size_t n, uint64_t address, struct x86_insn *ret);

#define X86_STUB_MAX 11 /* bytes of a stub */

/* Code that does nothing but jump to the address in a slot of memory. */
struct x86_stub {
	uint8_t size; /* of it */
	int32_t slot; /* in 64-bit code the distance of the slot from what is behind, in 32-bit code its address */
};

/*
 * True when the n bytes, or the first of them, are such code: jmp *SLOT(%rip), or *SLOT in 32-bit code, as entries of
 * procedure linkage tables have it, also those for processors that check jumps (endbr64) or bounds (bnd).
 */
bool x86_is_stub(const uint8_t *bytes, size_t n, struct x86_stub *ret);

/* True when the n bytes begin with what such a slot leads to before it is filled: pushl NUMBER and a jump, which is the
 * call of the dynamic linker. */
bool x86_is_unbound(const uint8_t *bytes, size_t n);

#define X86_BEHIND 7 /* bytes before an instruction that tell whether a call is there */

/* True when what ends with these X86_BEHIND bytes may be a call. */
bool x86_may_be_call(const uint8_t *bytes);

/* The address that an operand in memory has with these registers (16, in the order of their numbers). */
uint64_t x86_address(const struct x86_operand *operand, const uint64_t *registers);

#endif
