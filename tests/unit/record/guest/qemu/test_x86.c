/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes as the GNU assembler makes them of what stands behind them, or the GNU linker of whole programs. */
#include "oracle.h"
#include "program.h"
#include "src/record/guest/qemu/x86.h"

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
	CHECK_INT(LOOK("\xff\xe0").flow, X86_JUMP_INDIRECT);         /* jmp *%rax */
	CHECK_INT(LOOK("\x3e\x41\xff\xe3").flow, X86_JUMP_INDIRECT); /* notrack jmp *%r11 */
	CHECK_INT(LOOK("\xf2\x41\xff\xe3").operand.base, X86_R11);   /* bnd jmp *%r11 */
	CHECK(!LOOK("\x41\xff\xe3").operand.memory && LOOK("\x41\xff\x23").operand.memory);
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

static bool is_stub(const char *bytes, size_t n, struct x86_stub *stub)
{
	return x86_is_stub((const uint8_t *)bytes, n, stub);
}

#define IS_STUB(bytes) is_stub(bytes, sizeof(bytes) - 1, &stub)
#define IS_UNBOUND(bytes) x86_is_unbound((const uint8_t *)(bytes), sizeof(bytes) - 1)

static void test_stubs(void)
{
	struct x86_stub stub = {0};

	CHECK(IS_STUB("\xff\x25\xe2\x5f\x0a\x00\x66\x90")); /* jmp *0xa5fe2(%rip); xchg %ax,%ax */
	CHECK_INT(stub.size, 6);
	CHECK_INT(stub.slot, 0xa5fe2);
	CHECK(IS_STUB("\xf3\x0f\x1e\xfa\xf2\xff\x25\xf0\xff\xff\xff")); /* endbr64; bnd jmp *-16(%rip) */
	CHECK_INT(stub.size, 11);
	CHECK_INT(stub.slot, -16);
	CHECK(IS_STUB("\xf3\x0f\x1e\xfb\xff\x25\x0c\xa0\x04\x08")); /* endbr32; jmp *0x804a00c */
	CHECK_INT(stub.slot, 0x804a00c);
	CHECK(!IS_STUB("\xff\x15\xe2\x5f\x0a\x00"));                 /* call *0xa5fe2(%rip) */
	CHECK(!IS_STUB("\xff\xe0\x90\x90\x90\x90\x90"));             /* jmp *%rax */
	CHECK(!IS_STUB("\x48\x83\xec\x08\xff\x25\xe2\x5f\x0a\x00")); /* sub $8,%rsp; jmp ... */
	CHECK(!IS_STUB("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5\xff\x25"));
	for (size_t n = 0; n < 11; n++)
		CHECK(!is_stub("\xf3\x0f\x1e\xfa\xf2\xff\x25\xf0\xff\xff\xff", n, &stub));
	CHECK(IS_UNBOUND("\x68\x00\x00\x00\x00\xe9\xe0\xff\xff\xff"));                     /* push $0; jmp */
	CHECK(IS_UNBOUND("\xf3\x0f\x1e\xfa\x68\x01\x00\x00\x00\xf2\xe9\xd1\xff\xff\xff")); /* ...; bnd jmp */
	CHECK(!IS_UNBOUND("\x68\x00\x00\x00\x00\xc3"));                                    /* push $0; ret */
	CHECK(!IS_UNBOUND("\x68\x00\x00\x00\x00"));
	CHECK(!IS_UNBOUND(""));
}

/* Reads the bytes of a line of objdump behind *text; how many. */
static size_t read_bytes(char **text, uint8_t *bytes, size_t max)
{
	size_t n = 0;

	for (char *end = NULL; n < max; *text = end) {
		unsigned long byte = strtoul(*text, &end, 16);

		if (end != *text + 3 && end != *text + 2)
			break;
		bytes[n++] = (uint8_t)byte;
	}
	return n;
}

/* What stands before the address of a slot, in lines like "401018:	ff 25 e2 2f 0a 00	jmp *0xa2fe2(%rip)  #
 * 4a4000 <...". */
static void check_line(char *line, unsigned *found, unsigned *wrong)
{
	char *colon = strchr(line, ':'), *slot = strstr(line, "(%rip)"), *at = colon ? colon + 1 : line;
	uint64_t address = strtoull(line, NULL, 16);
	struct x86_stub stub = {0};
	uint8_t bytes[X86_MAX];
	size_t n;

	slot = slot ? strchr(slot, '#') : NULL;
	if (!colon || !slot || !strstr(line, "jmp"))
		return;
	while (*at == ' ' || *at == '\t')
		at++;
	n = read_bytes(&at, bytes, sizeof(bytes));
	++*found;
	*wrong += !x86_is_stub(bytes, n, &stub) ||
	          address + stub.size + (uint64_t)(int64_t)stub.slot != strtoull(slot + 1, NULL, 16);
}

/* All entries of the tables of a program: objdump finds the same slots. How many; -1: it cannot be built. */
static int count_stubs(const char *flags, unsigned *wrong)
{
	static const char source[] =
		"#include <string.h>\nint main(int argc, char **argv) { char *volatile a = argv[0];"
		"return strchr(a, 'x') != NULL || strlen(a) == (size_t)argc || memcmp(a, a, 9); }";
	char line[512];
	unsigned found = 0;
	FILE *out;

	*wrong = 0;
	if (!build("stubs", source, flags))
		return -1;
	out = ask("objdump -dw -j .plt -j .plt.sec stubs");
	while (out && fgets(line, sizeof(line), out))
		check_line(line, &found, wrong);
	if (out)
		pclose(out);
	return (int)found;
}

static void test_programs(void)
{
	static const char *const flags[] = {"-fno-builtin -static", "-fno-builtin -static -s",
	                                    "-fno-builtin -fcf-protection -Wl,-z,lazy -Wl,-z,ibtplt"};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		unsigned wrong;
		int n = count_stubs(flags[i], &wrong);

		if (n < 0)
			continue; /* no static library is installed */
		CHECK(n >= 3);
		CHECK_INT((long long)wrong, 0);
	}
}

int main(void)
{
	scratch_begin(60);
	test_stubs();
	test_programs();
	test_behind();
	test_flow();
	test_cut();
	test_operand();
	return TAP_DONE();
}
