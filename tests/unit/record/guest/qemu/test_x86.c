/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes as the GNU assembler makes them of what stands behind them. */
#include "src/record/guest/qemu/x86.h"
#include "tap.h"
#include <string.h>

#define PC 0x401000

static struct x86_insn look(const char *bytes, size_t n)
{
	struct x86_insn insn;

	x86_look((const uint8_t *)bytes, n, PC, &insn);
	return insn;
}

#define LOOK(bytes) look(bytes, sizeof(bytes) - 1)

static void test_flow(void)
{
	CHECK_INT(LOOK("\xe8\xfb\x0f\x00\x00").flow, X86_CALL); /* call .+0x1000 */
	CHECK_INT((long long)LOOK("\xe8\xfb\x0f\x00\x00").target, PC + 0x1000);
	CHECK_INT((long long)LOOK("\xe8\xfb\xff\xff\xff").target, PC); /* call . */
	CHECK_INT((long long)LOOK("\x67\xe8\xfa\x0f\x00\x00").target, PC + 0x1000);
	CHECK_INT(LOOK("\xc3").flow, X86_RETURN);
	CHECK_INT(LOOK("\xf3\xc3").flow, X86_RETURN);           /* rep ret */
	CHECK_INT(LOOK("\xf2\xc3").flow, X86_RETURN);           /* bnd ret */
	CHECK_INT(LOOK("\xc2\x08\x00").flow, X86_RETURN);       /* ret $8 */
	CHECK_INT(LOOK("\x48\xcf").flow, X86_IRET);             /* iretq */
	CHECK_INT(LOOK("\xe9\xfb\x0f\x00\x00").flow, X86_JUMP); /* jmp .+0x1000 */
	CHECK_INT((long long)LOOK("\xe9\xfb\x0f\x00\x00").target, PC + 0x1000);
	CHECK_INT(LOOK("\xeb\x10").flow, X86_JUMP);
	CHECK_INT((long long)(LOOK("\xeb\xf0").target - PC), 2 - 16);
	CHECK_INT(LOOK("\xff\xe0").flow, X86_JUMP_INDIRECT);                     /* jmp *%rax */
	CHECK_INT(LOOK("\x3e\x41\xff\xe3").flow, X86_JUMP_INDIRECT);             /* notrack jmp *%r11 */
	CHECK_INT(LOOK("\xff\x24\xc5\x00\x00\x00\x80").flow, X86_JUMP_INDIRECT); /* jmp *0x80000000(,%rax,8) */
	CHECK_INT(LOOK("\xff\x28").flow, X86_OTHER);                             /* ljmp *(%rax) */
	CHECK_INT(LOOK("\x0f\x84\x00\x01\x00\x00").flow, X86_BRANCH);            /* je .+0x106 */
	CHECK_INT((long long)(LOOK("\x0f\x84\x00\x01\x00\x00").target - PC), 0x106);
	CHECK_INT(LOOK("\x2e\x75\xfe").flow, X86_BRANCH); /* jne,pn */
	CHECK_INT((long long)(LOOK("\x2e\x75\xfe").target - PC), 1);
	CHECK_INT(LOOK("\xe2\x05").flow, X86_BRANCH); /* loop */
	CHECK_INT(LOOK("\x0f\x05").flow, X86_OTHER);  /* syscall */
	CHECK_INT(look("\x0f\x84\x00", 3).flow, X86_OTHER);
	CHECK_INT(look("\x75", 1).flow, X86_OTHER);
	CHECK_INT(LOOK("\x90").flow, X86_OTHER);
}

static void test_cut(void)
{
	CHECK_INT(look("", 0).flow, X86_OTHER);
	CHECK_INT(look("\xe8\x00\x00", 3).flow, X86_OTHER);
	CHECK_INT(look("\xff", 1).flow, X86_OTHER);
	CHECK_INT(look("\xff\x14", 2).flow, X86_OTHER);
	CHECK_INT(look("\xff\x15\x00", 3).flow, X86_OTHER);
	CHECK_INT(look("\x41\xff", 2).flow, X86_OTHER);
	CHECK_INT(look("\x48\x48", 2).flow, X86_OTHER);
}

static uint64_t address(const char *bytes, size_t n)
{
	uint64_t registers[16];
	struct x86_insn insn = look(bytes, n);

	for (unsigned i = 0; i < 16; i++)
		registers[i] = i * 0x10000ull;
	if (insn.flow != X86_CALL_INDIRECT || !insn.operand.memory)
		return 0;
	return x86_address(&insn.operand, registers);
}

#define ADDRESS(bytes) (long long)address(bytes, sizeof(bytes) - 1)

static void test_operand(void)
{
	CHECK_INT(LOOK("\xff\xd0").operand.base, 0); /* call *%rax */
	CHECK(!LOOK("\xff\xd0").operand.memory);
	CHECK_INT(LOOK("\x41\xff\xd4").operand.base, 12);              /* call *%r12 */
	CHECK_INT(ADDRESS("\xff\x15\x10\x00\x00\x00"), PC + 6 + 0x10); /* call *0x10(%rip) */
	CHECK_INT(ADDRESS("\xff\x13"), 0x30000);                       /* call *(%rbx) */
	CHECK_INT(ADDRESS("\xff\x55\xf8"), 0x50000 - 8);               /* call *-8(%rbp) */
	CHECK_INT(ADDRESS("\xff\x54\x24\x08"), 0x40008);               /* call *8(%rsp) */
	CHECK_INT(ADDRESS("\x41\xff\x54\x24\x08"), 0xc0008);           /* call *8(%r12) */
	CHECK_INT(ADDRESS("\xff\x14\xc5\x00\x10\x40\x00"), 0x401000);  /* call *0x401000(,%rax,8) */
	CHECK_INT(ADDRESS("\x42\xff\x94\xeb\x00\x01\x00\x00"), 0x30000 + 0xd0000 * 8 + 0x100); /* *0x100(%rbx,%r13,8) */
	CHECK_INT(ADDRESS("\xff\x14\x25\x00\x10\x40\x00"), 0x401000);                          /* call *0x401000 */
	CHECK(LOOK("\x64\xff\x14\x25\x10\x00\x00\x00").operand.segment);                       /* call *%fs:0x10 */
	CHECK(!LOOK("\xff\x13").operand.segment);
}

/* The last bytes of code that ends with these. */
static bool may_be_call(const char *bytes, size_t n)
{
	uint8_t code[2 * X86_BEHIND];

	memset(code, 0x90, sizeof(code));
	memcpy(code + sizeof(code) - n, bytes, n);
	return x86_may_be_call(code + sizeof(code) - X86_BEHIND);
}

#define MAY_BE_CALL(bytes) may_be_call(bytes, sizeof(bytes) - 1)

static void test_behind(void)
{
	CHECK(MAY_BE_CALL("\xe8\xfb\x0f\x00\x00"));                  /* call .+0x1000 */
	CHECK(MAY_BE_CALL("\xff\xd0"));                              /* call *%rax */
	CHECK(MAY_BE_CALL("\x41\xff\xd4"));                          /* call *%r12 */
	CHECK(MAY_BE_CALL("\xff\x15\x10\x00\x00\x00"));              /* call *0x10(%rip) */
	CHECK(MAY_BE_CALL("\xff\x55\xf8"));                          /* call *-8(%rbp) */
	CHECK(MAY_BE_CALL("\x41\xff\x54\x24\x08"));                  /* call *8(%r12) */
	CHECK(MAY_BE_CALL("\x42\xff\x94\xeb\x00\x01\x00\x00"));      /* call *0x100(%rbx,%r13,8) */
	CHECK(!MAY_BE_CALL(""));                                     /* nop */
	CHECK(!MAY_BE_CALL("\xe9\xfb\x0f\x00\x00"));                 /* jmp .+0x1000 */
	CHECK(!MAY_BE_CALL("\xff\xe0"));                             /* jmp *%rax */
	CHECK(!MAY_BE_CALL("\xe8\xfb\x0f\x00\x00\x90"));             /* call .+0x1000; nop */
	CHECK(!MAY_BE_CALL("\x42\xff\x94\xeb\x00\x01\x00\x00\x90")); /* call *0x100(%rbx,%r13,8); nop */
}

int main(void)
{
	test_behind();
	test_flow();
	test_cut();
	test_operand();
	return TAP_DONE();
}
