/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables against the kernel's and the C library's headers, libseccomp's tables, and the registers of a process. */
#include "program.h"
#include "tap.h"
#ifdef __x86_64__
#include <asm/perf_regs.h>
#endif
#include <dlfcn.h>
#include <elf.h>
#include <exectrace/target/arch/arch.h>
#include <linux/audit.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

static void tables(void)
{
	static const char *const names[] = {"x86_64", "i386", "x32", "aarch64"};
	size_t n = 0;

	while (arch_at(n)) {
		CHECK(arch_by_name(arch_at(n)->name) == arch_at(n));
		n++;
	}
	CHECK_INT(n, 4);
	CHECK(!arch_at(1000));
	for (size_t i = 0; i < 4; i++)
		CHECK_STR(arch_by_name(names[i]) ? arch_by_name(names[i])->name : NULL, names[i]);
	CHECK(!arch_by_name("vax"));
	CHECK(!arch_by_name(""));
	CHECK(!arch_by_name("x86"));
}

static const char *name_of(uint32_t audit, uint32_t nr)
{
	const struct arch *arch = arch_by_call(audit, nr);

	return arch ? arch->name : NULL;
}

static void calls(void)
{
	CHECK_STR(name_of(AUDIT_ARCH_X86_64, 59), "x86_64");
	CHECK_STR(name_of(AUDIT_ARCH_X86_64, 0), "x86_64");
	CHECK_STR(name_of(AUDIT_ARCH_X86_64, 0x40000000u | 520), "x32");
	CHECK_STR(name_of(AUDIT_ARCH_X86_64, 0x40000000u), "x32");
	CHECK_STR(name_of(AUDIT_ARCH_I386, 11), "i386");
	CHECK_STR(name_of(AUDIT_ARCH_I386, 0x40000000u | 520), "i386");
	CHECK_STR(name_of(AUDIT_ARCH_AARCH64, 221), "aarch64");
	CHECK_STR(name_of(AUDIT_ARCH_ARM, 11), NULL);
	CHECK_STR(name_of(0, 0), NULL);
	CHECK(arch_is_exec(arch_by_name("x86_64"), 59) && arch_is_exec(arch_by_name("x86_64"), 322));
	CHECK(!arch_is_exec(arch_by_name("x86_64"), 11) && !arch_is_exec(arch_by_name("i386"), 59));
	CHECK(arch_is_exec(arch_by_name("i386"), 11) && arch_is_exec(arch_by_name("i386"), 358));
	CHECK(!arch_is_exec(arch_by_name("x32"), 59) && !arch_is_exec(arch_by_name("x32"), 520));
	CHECK(arch_is_exec(arch_by_name("x32"), 0x40000000u + 545));
}

/* Numbers as libseccomp knows them; it gives a negative one for a call that an ABI does not have. */
static void numbers(void)
{
	static const struct {
		const char *name;
		uint32_t token; /* SCMP_ARCH_* */
	} abis[] = {{"x86_64", AUDIT_ARCH_X86_64},
	            {"i386", AUDIT_ARCH_I386},
	            {"x32", EM_X86_64 | __AUDIT_ARCH_LE},
	            {"aarch64", AUDIT_ARCH_AARCH64}};
	void *library = dlopen("libseccomp.so.2", RTLD_NOW);
	int (*resolve)(uint32_t, const char *) = NULL;

	if (library)
		*(void **)&resolve = dlsym(library, "seccomp_syscall_resolve_name_arch");
	if (!resolve)
		printf("# skipped: no libseccomp.so.2 to compare system call numbers with\n");
	for (size_t i = 0; resolve && i < sizeof(abis) / sizeof(abis[0]); i++) {
		const struct arch *arch = arch_by_name(abis[i].name);

		printf("# %s\n", arch->name);
		CHECK_INT(arch->nr_execve, resolve(abis[i].token, "execve"));
		CHECK_INT(arch->nr_execveat, resolve(abis[i].token, "execveat"));
		CHECK_INT(arch->nr_prctl, resolve(abis[i].token, "prctl"));
		CHECK_INT(arch->nr_sigtimedwait, resolve(abis[i].token, "rt_sigtimedwait"));
	}
}

/* Every register that exists: inside the block, of its own, read back as it was written. */
static void slots(const struct arch *arch)
{
	unsigned char regs[ARCH_REGS_MAX], before[ARCH_REGS_MAX];
	uint64_t mask = arch->reg_width == 8 ? UINT64_MAX : UINT32_MAX;
	bool inside = true, kept = true, read_back = true;

	CHECK(arch->regs_size <= ARCH_REGS_MAX && arch->insn_len <= ARCH_INSN_MAX && arch->loop_len <= ARCH_INSN_MAX);
	CHECK(arch->insn_len > 0 && arch->loop_len > 0);
	for (int r = 0; r < REG_COUNT; r++) {
		uint64_t value = UINT64_C(0x8899aabbccddee00) + (unsigned)r;
		size_t changed = 0;

		memset(regs, 0x55, sizeof(regs));
		memcpy(before, regs, sizeof(regs));
		arch_set_reg(arch, regs, (enum reg)r, value);
		for (size_t i = 0; i < sizeof(regs); i++)
			changed += regs[i] != before[i];
		if (arch->slot[r] == ARCH_NO_REG) {
			kept = kept && changed == 0 && arch_reg(arch, regs, (enum reg)r) == 0;
			continue;
		}
		inside = inside && arch->slot[r] >= 0 && (unsigned)arch->slot[r] + arch->reg_width <= arch->regs_size &&
		         (unsigned)arch->slot[r] % arch->reg_width == 0;
		kept = kept && changed <= arch->reg_width;
		read_back = read_back && arch_reg(arch, regs, (enum reg)r) == (value & mask);
	}
	CHECK(inside);
	CHECK(kept);
	CHECK(read_back);
	for (int a = REG_ARG0; a <= REG_ARG5; a++)
		for (int b = REG_PC; b < a; b++)
			if (b != REG_RET && arch->slot[a] == arch->slot[b])
				CHECK(!"two registers in one slot");
}

/* Prints what it passes to a call that does not exist, so that the oracle is not in this file. */
static const char call_source[] =
	"#ifdef __x86_64__\n"
	"#define CALL \"movq $0x1111, %%rdi; movq $0x2222, %%rsi; movq $0x3333, %%rdx; movq $0x4444, %%r10;\" \\\n"
	"	\"movq $0x5555, %%r8; movq $0x6666, %%r9; movq $4000, %%rax; syscall\"\n"
	"#define CLOBBER \"rax\", \"rdi\", \"rsi\", \"rdx\", \"r10\", \"r8\", \"r9\", \"rcx\", \"r11\", \"memory\"\n"
	"#else\n"
	"#define CALL \"pushl %%ebx; pushl %%ebp; movl $0x1111, %%ebx; movl $0x2222, %%ecx; movl $0x3333, %%edx;\" \\\n"
	"	\"movl $0x4444, %%esi; movl $0x5555, %%edi; movl $0x6666, %%ebp; movl $4000, %%eax; int $0x80;\" \\\n"
	"	\"popl %%ebp; popl %%ebx\"\n"
	"#define CLOBBER \"eax\", \"ecx\", \"edx\", \"esi\", \"edi\", \"memory\"\n"
	"#endif\n"
	"int main(void) { __asm__ volatile(CALL : : : CLOBBER); return 0; }\n";

/* Runs to the entry of call number 4000 and leaves its registers in block; their size, 0 when it does not come. */
static size_t run_to_call(const struct arch *arch, const char *name, unsigned char *block, bool *at_end)
{
	char *argv[] = {(char *)name, NULL}, *envp[] = {NULL};
	struct stopped s = start_stopped(argv, envp);
	struct iovec iov = {block, 0};

	for (int i = 0; s.pid && i < 2000; i++) {
		if (ptrace(PTRACE_SYSCALL, s.pid, 0L, 0L) || !wait_stop(s.pid, SIGTRAP | 0x80))
			break;
		iov = (struct iovec){block, ARCH_REGS_MAX};
		if (ptrace(PTRACE_GETREGSET, s.pid, (long)NT_PRSTATUS, &iov) || iov.iov_len != arch->regs_size)
			break;
		if (arch_reg(arch, block, REG_ORIG_NR) != 4000)
			continue;
		if (!*at_end)
			break;
		*at_end = false;
	}
	if (s.pid) {
		finish(s.pid);
		close(s.out);
	}
	return s.pid && !*at_end ? iov.iov_len : 0;
}

static void registers(const char *name, const char *flags, const char *program)
{
	const struct arch *arch = arch_by_name(name);
	unsigned char block[ARCH_REGS_MAX];
	bool at_end = false;

	if (!build_to_run(program, call_source, flags))
		return;
	CHECK_INT(run_to_call(arch, place(program).path, block, &at_end), arch->regs_size);
	for (int i = 0; i < 6; i++)
		CHECK_INT(arch_reg(arch, block, (enum reg)(REG_ARG0 + i)), 0x1111 * (i + 1));
	CHECK_INT(arch_reg(arch, block, REG_ORIG_NR), 4000);
	CHECK(arch_reg(arch, block, REG_SP) > 4096 && arch_reg(arch, block, REG_PC) > 4096);
	at_end = true;
	CHECK_INT(run_to_call(arch, place(program).path, block, &at_end), arch->regs_size);
	CHECK_INT((int32_t)arch_reg(arch, block, REG_RET), -ENOSYS);
}

static void native(void)
{
#ifdef __x86_64__
	const struct arch *arch = arch_native();

	CHECK_STR(arch ? arch->name : NULL, "x86_64");
	CHECK_INT(arch->word, sizeof(void *));
	CHECK_INT(arch->regs_size, sizeof(struct user_regs_struct));
	CHECK_INT(arch->slot[REG_PC], offsetof(struct user_regs_struct, rip));
	CHECK_INT(arch->slot[REG_SP], offsetof(struct user_regs_struct, rsp));
	CHECK_INT(arch->slot[REG_NR], offsetof(struct user_regs_struct, rax));
	CHECK_INT(arch->slot[REG_ORIG_NR], offsetof(struct user_regs_struct, orig_rax));
	CHECK_INT(arch->slot[REG_ARG3], offsetof(struct user_regs_struct, r10));
	CHECK_INT(arch->nr_execve, SYS_execve);
	CHECK_INT(arch->nr_execveat, SYS_execveat);
	registers("x86_64", "-m64", "call64");
	registers("i386", "-m32", "call32");
#else
	printf("# skipped: the machine's own registers, for x86-64 only\n");
	CHECK(!arch_native() || arch_native()->word == sizeof(void *));
#endif
}

#ifdef __x86_64__
/* Each number of the kernel's header is the register of that name in the C library's. */
static void perf_registers(void)
{
#define R(number, member)                                         \
	{                                                         \
		number, offsetof(struct user_regs_struct, member) \
	}
	static const struct {
		unsigned number;
		size_t at;
	} known[] = {R(PERF_REG_X86_AX, rax),       R(PERF_REG_X86_BX, rbx),  R(PERF_REG_X86_CX, rcx),
	             R(PERF_REG_X86_DX, rdx),       R(PERF_REG_X86_SI, rsi),  R(PERF_REG_X86_DI, rdi),
	             R(PERF_REG_X86_BP, rbp),       R(PERF_REG_X86_SP, rsp),  R(PERF_REG_X86_IP, rip),
	             R(PERF_REG_X86_FLAGS, eflags), R(PERF_REG_X86_CS, cs),   R(PERF_REG_X86_SS, ss),
	             R(PERF_REG_X86_R8, r8),        R(PERF_REG_X86_R9, r9),   R(PERF_REG_X86_R10, r10),
	             R(PERF_REG_X86_R11, r11),      R(PERF_REG_X86_R12, r12), R(PERF_REG_X86_R13, r13),
	             R(PERF_REG_X86_R14, r14),      R(PERF_REG_X86_R15, r15)};
	const struct arch *wide = arch_by_name("x86_64"), *narrow = arch_by_name("i386");
	uint64_t mask = 0, values[64], word;
	unsigned char regs[ARCH_REGS_MAX];
	size_t n = sizeof(known) / sizeof(known[0]);

	for (size_t i = 0; i < n; i++) {
		mask |= 1ull << known[i].number;
		values[i] = 1000 + known[i].number; /* numbers rise in `known` */
	}
	CHECK_INT(arch_perf_mask(wide), mask);
	CHECK(arch_perf_regs(wide, mask, values, n, regs));
	for (size_t i = 0; i < n; i++) {
		memcpy(&word, regs + known[i].at, sizeof(word));
		CHECK_INT(word, 1000 + known[i].number);
	}
	CHECK(!arch_perf_regs(wide, mask, values, n - 1, regs));
	CHECK(!arch_perf_regs(wide, mask, values, n + 1, regs));
	CHECK(arch_perf_regs(narrow, mask, values, n, regs));
	CHECK_INT(arch_reg(narrow, regs, REG_PC), 1000 + PERF_REG_X86_IP);
	CHECK_INT(arch_reg(narrow, regs, REG_SP), 1000 + PERF_REG_X86_SP);
	CHECK_INT(arch_reg(narrow, regs, REG_RET), 1000 + PERF_REG_X86_AX);
	CHECK_INT(arch_reg(narrow, regs, REG_ARG0), 1000 + PERF_REG_X86_BX);
	CHECK_INT(arch_reg(narrow, regs, REG_ARG1), 1000 + PERF_REG_X86_CX);
	CHECK_INT(arch_reg(narrow, regs, REG_ARG2), 1000 + PERF_REG_X86_DX);
	CHECK_INT(arch_reg(narrow, regs, REG_ARG3), 1000 + PERF_REG_X86_SI);
	CHECK_INT(arch_reg(narrow, regs, REG_ARG4), 1000 + PERF_REG_X86_DI);
	CHECK_INT(arch_reg(narrow, regs, REG_ARG5), 1000 + PERF_REG_X86_BP);
}
#endif

int main(void)
{
	scratch_begin(60);
	tables();
	calls();
	numbers();
	for (size_t i = 0; arch_at(i); i++) {
		printf("# %s\n", arch_at(i)->name);
		slots(arch_at(i));
	}
	native();
#ifdef __x86_64__
	perf_registers();
#endif
	return TAP_DONE();
}
