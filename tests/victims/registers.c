/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers ROUNDS
 * Makes calls from sites of many forms, ROUNDS times each, with other values in all registers, flags, vector registers,
 * mxcsr and the red zone each time, and looks at all of it afterwards: a call changes rax, rcx and r11, nothing else.
 * Says how many calls had a wrong result or changed something, one line for each form that has such.
 */
#include "victim.h"
#include <sys/syscall.h>

enum { RBX, RBP, RDI, RSI, RDX, R8, R9, R10, R12, R13, R14, R15, REGISTERS };

#define ARITHMETIC 0x8d5u /* the flags CF PF AF ZF SF OF */
#define AF 0x10u
#define ZERO 0x44u        /* what `xor` leaves of them, but for AF: ZF and PF */
#define ALWAYS_SET 0x202u /* IF, and a bit without a meaning */
#define MXCSR 0x1f80u     /* as a program begins */
#define ROUNDING 0x6000u  /* in mxcsr */
#define ZONE 16           /* words below the stack pointer */

/* The offsets are those of the code below. */
struct state {
	uint64_t r[REGISTERS];
	uint64_t flags;      /* 96 */
	uint64_t zone[ZONE]; /* 104 */
	uint64_t rax;        /* 232 */
	uint64_t x[32];      /* 240 */
	uint64_t mxcsr;      /* 496 */
};

/* The code below uses all of these. */
static struct state given, got;
static uint64_t stack __attribute__((used)), second;
static uint32_t usual __attribute__((used)) = MXCSR, turns __attribute__((used));

/* Flags are loaded and stored with the stack pointer at their place, so that no byte of the red zone changes. */
#define SITE(name, form)                                                                                             \
	void name(void);                                                                                             \
	__asm__(".text\n" #name ":\n"                                                                                \
	        "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"                                 \
	        "lea given(%rip), %rax\nxor %ecx, %ecx\n"                                                            \
	        "1: mov 104(%rax,%rcx,8), %rbx\nmov %rbx, -128(%rsp,%rcx,8)\ninc %ecx\ncmp $16, %ecx\njne 1b\n"      \
	        "ldmxcsr 496(%rax)\n"                                                                                \
	        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovups 240+16*\\n(%rax), %xmm\\n\n.endr\n"            \
	        "mov %rsp, stack(%rip)\nlea 96(%rax), %rsp\npopfq\nmov stack(%rip), %rsp\n"                          \
	        "mov 0(%rax), %rbx\nmov 8(%rax), %rbp\nmov 16(%rax), %rdi\nmov 24(%rax), %rsi\nmov 32(%rax), %rdx\n" \
	        "mov 40(%rax), %r8\nmov 48(%rax), %r9\nmov 56(%rax), %r10\nmov 64(%rax), %r12\nmov 72(%rax), %r13\n" \
	        "mov 80(%rax), %r14\nmov 88(%rax), %r15\n" form "lea got(%rip), %rcx\nmov %rax, 232(%rcx)\n"         \
	        "mov %rsp, stack(%rip)\nlea 104(%rcx), %rsp\npushfq\nmov stack(%rip), %rsp\n"                        \
	        "mov %rbx, 0(%rcx)\nmov %rbp, 8(%rcx)\nmov %rdi, 16(%rcx)\nmov %rsi, 24(%rcx)\nmov %rdx, 32(%rcx)\n" \
	        "mov %r8, 40(%rcx)\nmov %r9, 48(%rcx)\nmov %r10, 56(%rcx)\nmov %r12, 64(%rcx)\nmov %r13, 72(%rcx)\n" \
	        "mov %r14, 80(%rcx)\nmov %r15, 88(%rcx)\n"                                                           \
	        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovups %xmm\\n, 240+16*\\n(%rcx)\n.endr\n"            \
	        "stmxcsr 496(%rcx)\nldmxcsr usual(%rip)\n"                                                           \
	        "mov %rcx, %rdx\nxor %ecx, %ecx\n"                                                                   \
	        "2: mov -128(%rsp,%rcx,8), %rbx\nmov %rbx, 104(%rdx,%rcx,8)\ninc %ecx\ncmp $16, %ecx\njne 2b\n"      \
	        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n")

SITE(by_number, "mov $39, %eax\nsyscall\n");
SITE(by_long_number, "movq $39, %rax\nsyscall\n");
SITE(by_full_number, "movabs $39, %rax\nsyscall\n");
SITE(by_zero, "xor %eax, %eax\nsyscall\n");
SITE(by_register, "mov %edx, %eax\nsyscall\n");
SITE(by_new_register, "mov %r8d, %eax\nsyscall\n");
SITE(by_long_register, "mov %rdi, %rax\nsyscall\n");
SITE(by_stack, "push $39\npop %rax\nsyscall\n");
SITE(by_memory, "mov given+32(%rip), %rax\nsyscall\n");
SITE(by_nothing, "mov $39, %eax\nnop\nsyscall\n");
SITE(by_jump, "mov $110, %eax\njmp 3f\nmov $39, %eax\n3: syscall\n");
/* Each round by the other way. */
SITE(by_either, "mov second(%rip), %rcx\njrcxz 3f\nmov $110, %eax\njmp 4f\n3: mov $39, %eax\n4: syscall\n");
/* Twice, the second time from behind the first. */
SITE(by_loop, "movl $2, turns(%rip)\n3: mov $39, %eax\nsyscall\n"
              "mov turns(%rip), %ecx\nlea -1(%rcx), %ecx\nmov %ecx, turns(%rip)\njrcxz 4f\njmp 3b\n4:\n");

enum form { NUMBER, IN_REGISTER, READ, PUSHED, BY_JUMP, BY_TURNS };

static const struct {
	const char *name;
	void (*site)(void);
	enum form form;
	unsigned number_in; /* IN_REGISTER: which has the number of the call */
} sites[] = {
	{"mov $nr, %eax", by_number, NUMBER, 0},
	{"mov $nr, %rax", by_long_number, NUMBER, 0},
	{"movabs $nr, %rax", by_full_number, NUMBER, 0},
	{"xor %eax, %eax", by_zero, READ, 0},
	{"mov %edx, %eax", by_register, IN_REGISTER, RDX},
	{"mov %r8d, %eax", by_new_register, IN_REGISTER, R8},
	{"mov %rdi, %rax", by_long_register, IN_REGISTER, RDI},
	{"push $nr; pop %rax", by_stack, PUSHED, 0},
	{"mov memory, %rax", by_memory, IN_REGISTER, RDX},
	{"nop", by_nothing, NUMBER, 0},
	{"jmp to it", by_jump, BY_JUMP, 0},
	{"jmp to it or not", by_either, BY_TURNS, 0},
	{"a loop", by_loop, NUMBER, 0},
};

static void choose(size_t site, unsigned round)
{
	for (size_t k = 0; k < sizeof(given) / sizeof(uint64_t); k++)
		((uint64_t *)&given)[k] = (uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ k;
	given.flags = ((uint64_t)random() & ARITHMETIC) | ALWAYS_SET;
	given.mxcsr = MXCSR | ((uint64_t)random() & ROUNDING);
	second = round & 1;
	if (sites[site].form == READ)
		given.r[RDI] = UINT64_MAX; /* no descriptor */
	if (sites[site].form == IN_REGISTER)
		given.r[sites[site].number_in] = second ? SYS_getppid : SYS_getpid;
}

static bool is_right(size_t site, uint64_t parent)
{
	enum form form = sites[site].form;
	bool other = form == BY_JUMP || ((form == IN_REGISTER || form == BY_TURNS) && second);
	uint64_t result = form == READ ? (uint64_t)-EBADF : other ? parent : (uint64_t)getpid();
	uint64_t flags = (given.flags ^ got.flags) & ARITHMETIC;

	if (form == READ)
		flags = (got.flags ^ ZERO) & ARITHMETIC & ~AF;
	if (form == PUSHED)
		given.zone[ZONE - 1] = SYS_getpid;
	return got.rax == result && !flags && memcmp(given.r, got.r, sizeof(given.r)) == 0 &&
	       memcmp(given.zone, got.zone, sizeof(given.zone)) == 0 && memcmp(given.x, got.x, sizeof(given.x)) == 0 &&
	       (uint32_t)given.mxcsr == (uint32_t)got.mxcsr;
}

/* errno is the last error's, whatever was called since. */
static unsigned check_errno(unsigned rounds)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < rounds; i++) {
		errno = 4000;
		wrong += getppid() <= 0 || errno != 4000;
		wrong += read(-1, NULL, 1) != -1 || errno != EBADF;
		wrong += syscall(SYS_getpid) <= 0 || errno != EBADF;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 0, all;
	uint64_t parent = (uint64_t)getppid();

	if (!rounds)
		usage("registers ROUNDS");
	all = check_errno(rounds);
	if (all)
		printf("errno: %u wrong\n", all);
	for (size_t site = 0; site < sizeof(sites) / sizeof(sites[0]); site++) {
		unsigned wrong = 0;

		for (unsigned i = 0; i < rounds; i++) {
			choose(site, i);
			sites[site].site();
			wrong += !is_right(site, parent);
		}
		if (wrong)
			printf("%s: %u wrong\n", sites[site].name, wrong);
		all += wrong;
	}
	printf("registers: %u wrong\n", all);
	return all != 0;
}
