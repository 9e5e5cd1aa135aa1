/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program for seccomp(2): walked by hand for every number of every ABI, and given to the kernel in a child. */
#include "src/record/seccomp/bpf.h"
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the kernel would answer; 0 (SECCOMP_RET_KILL_THREAD) when the program leaves its own text. */
static uint32_t walk(const struct bpf_program *program, uint32_t audit, uint32_t nr)
{
	uint32_t a = 0;

	for (unsigned at = 0; at < program->n; at++) {
		const struct sock_filter *insn = &program->insns[at];

		switch (insn->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			a = insn->k == offsetof(struct seccomp_data, nr) ? nr : audit;
			break;
		case BPF_JMP | BPF_JA:
			at += insn->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			at += a == insn->k ? insn->jt : insn->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			at += a >= insn->k ? insn->jt : insn->jf;
			break;
		case BPF_RET | BPF_K:
			return insn->k;
		default:
			return 0;
		}
	}
	return 0;
}

/* execs: those that execute are left to the filter. */
static bool is_wanted(const struct syscall_filter *filter, bool execs, uint32_t audit, uint32_t nr)
{
	const struct arch *arch = arch_by_call(audit, nr);

	if (!arch)
		return filter->unknown;
	if (!execs && arch_is_exec(arch, nr))
		return false;
	return syscall_filter_has(filter, arch, nr) || bpf_is_fork(arch, nr) || bpf_may_sandbox(arch, nr);
}

/* Which calls give their thread a filter, or strict mode. */
static void check_sandbox(void)
{
	static const struct {
		const char *arch;
		uint32_t nr;
		uint64_t op;
		bool is;
	} calls[] = {
		{"x86_64", 157, 22, true}, {"x86_64", 157, 21, false}, {"x86_64", 317, 1, true},
		{"x86_64", 317, 0, true},  {"x86_64", 317, 2, false},  {"x86_64", 1, 1, false},
		{"i386", 172, 22, true},   {"i386", 354, 1, true},     {"x32", 0x4000009d, 22, true},
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct syscall_call call = {.arch = arch_by_name(calls[i].arch), .nr = calls[i].nr};

		call.args[0] = calls[i].op;
		CHECK_INT(bpf_is_sandbox(&call), calls[i].is);
	}
}

static unsigned wrong_numbers(const struct syscall_filter *filter, bool execs, const struct bpf_program *program,
                              uint32_t audit)
{
	static const uint32_t bases[] = {0, 0x40000000};
	unsigned wrong = 0;

	for (size_t b = 0; b < 2; b++) {
		for (uint32_t n = 0; n < SYSCALL_NR_MAX + 100; n++) {
			uint32_t nr = bases[b] + n;
			uint32_t want = is_wanted(filter, execs, audit, nr) ? SECCOMP_RET_TRACE : SECCOMP_RET_ALLOW;

			wrong += walk(program, audit, nr) != want;
		}
	}
	return wrong;
}

static void check_numbers(const char *list)
{
	static const uint32_t audits[] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, 0x12345678};
	cleanup_buf struct buf err = BUF_INIT;
	struct bpf_program program;
	struct syscall_filter filter;

	if (!CHECK_INT(syscall_filter_parse(&filter, list, &err), 0))
		return;
	for (int execs = 0; execs < 2; execs++) {
		CHECK_INT(bpf_make(&filter, execs, &program), 0);
		for (size_t i = 0; i < 4; i++)
			CHECK_INT(wrong_numbers(&filter, execs, &program, audits[i]), 0);
	}
}

/* The largest program that a filter can need: every second number. It must still fit. */
static void check_worst(void)
{
	struct bpf_program program;
	struct syscall_filter filter;

	memset(&filter, 0x55, sizeof(filter.bits));
	filter.unknown = true;
	CHECK_INT(bpf_make(&filter, true, &program), -E2BIG);
	CHECK(program.n > BPF_MAXINSNS);
	memset(&filter.bits, 0, sizeof(filter.bits));
	memset(&filter.bits, 0x55, 60); /* as many numbers as x86-64 has calls */
	CHECK_INT(bpf_make(&filter, true, &program), 0);
	CHECK_INT(wrong_numbers(&filter, true, &program, AUDIT_ARCH_X86_64), 0);
}

#ifdef __x86_64__
static long call_i386(long nr)
{
	long result = nr;

	__asm__ volatile("int $0x80" : "+a"(result) : "b"(0), "c"(0), "d"(0) : "memory", "r8", "r9", "r10", "r11");
	return result;
}

/* Whether the kernel has that entry: without it, int 0x80 is a fault, or getpid fails. */
static bool has_i386(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		_exit(call_i386(20) <= 0);
	}
	if (!CHECK(pid > 0 && waitpid(pid, &status, 0) == pid))
		return false;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV)
		return false;
	CHECK(WIFEXITED(status));
	return status == 0;
}

/* Without a tracer, what the filter wants fails with ENOSYS. One bit for each call that does not do as expected. */
static int unexpected(void)
{
	int bad = 0;

	bad |= (syscall(SYS_getppid) < 0 && errno == ENOSYS) ? 0 : 1;
	bad |= (syscall(SYS_read, -1, NULL, 0) < 0 && errno == ENOSYS) ? 0 : 2;
	bad |= syscall(SYS_getpid) > 0 ? 0 : 4;
	bad |= (syscall(SYS_write, -1, NULL, 0) < 0 && errno == EBADF) ? 0 : 8;
	bad |= (syscall(SYS_fork) < 0 && errno == ENOSYS) ? 0 : 16;
	return bad;
}

static void check_kernel(void)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct bpf_program program;
	struct syscall_filter filter;
	bool narrow = has_i386();
	int status = 0;
	pid_t pid = 0;

	if (!narrow)
		SKIP("calls by int 0x80", "the kernel runs no 32-bit programs");
	CHECK_INT(syscall_filter_parse(&filter, "read,getppid", &err), 0);
	CHECK_INT(bpf_make(&filter, true, &program), 0);
	pid = fork();
	if (pid == 0) {
		const struct sock_fprog prog = {(unsigned short)program.n, program.insns};
		int bad = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		          syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &prog);

		bad = bad ? 128 : unexpected();
		/* getppid is 64 there, getpid 20. */
		_exit(bad | (narrow && (call_i386(64) != -ENOSYS || call_i386(20) <= 0) ? 32 : 0));
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
}
#else
static void check_kernel(void)
{
}
#endif

int main(void)
{
	check_numbers("read,write");
	check_numbers("%file");
	check_numbers("!%memory");
	check_numbers("/^get/,0,!getpid");
	check_numbers("%all");
	check_worst();
	check_sandbox();
	check_kernel();
	return TAP_DONE();
}
