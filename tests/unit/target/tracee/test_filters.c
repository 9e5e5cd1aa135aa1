/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answers of seccomp filters, told beforehand: by hand for each instruction, and against the kernel's own for
 * programs made at random, with one call that shows the answer.
 */
#include "program.h"
#include "tap.h"
#include <exectrace/target/tracee/filters.h>
#include <linux/audit.h>
#include <stddef.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define LD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))

static const struct seccomp_data call = {
	.nr = 59,
	.arch = AUDIT_ARCH_X86_64,
	.instruction_pointer = 0x1122334455667788,
	.args = {0x0102030405060708, 7, 0, 0xffffffff00000000, 4, UINT64_MAX},
};

static uint32_t run(const struct sock_filter *code, size_t n)
{
	uint32_t result = 0xdead;

	CHECK_INT(filter_run(code, n, &call, &result), 0);
	return result;
}

/* A = value; one instruction; return A. X is 3. */
static uint32_t computed(uint32_t value, uint16_t code, uint32_t k)
{
	const struct sock_filter program[] = {
		BPF_STMT(BPF_LDX | BPF_IMM, 3),
		BPF_STMT(BPF_LD | BPF_IMM, value),
		BPF_STMT(code, k),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};

	return run(program, N(program));
}

static void arithmetic(void)
{
	CHECK_INT(computed(5, BPF_ALU | BPF_ADD | BPF_K, 9), 14);
	CHECK_INT(computed(5, BPF_ALU | BPF_ADD | BPF_X, 9), 8);
	CHECK_INT(computed(5, BPF_ALU | BPF_SUB | BPF_K, 6), 0xffffffffu);
	CHECK_INT(computed(5, BPF_ALU | BPF_MUL | BPF_X, 0), 15);
	CHECK_INT(computed(17, BPF_ALU | BPF_DIV | BPF_K, 5), 3);
	CHECK_INT(computed(17, BPF_ALU | BPF_DIV | BPF_K, 0), 0);
	CHECK_INT(computed(0xf0f0, BPF_ALU | BPF_AND | BPF_K, 0xff), 0xf0);
	CHECK_INT(computed(0xf0, BPF_ALU | BPF_OR | BPF_X, 0), 0xf3);
	CHECK_INT(computed(0xf0, BPF_ALU | BPF_XOR | BPF_K, 0xff), 0x0f);
	CHECK_INT(computed(1, BPF_ALU | BPF_LSH | BPF_K, 31), 0x80000000u);
	CHECK_INT(computed(0x80000000u, BPF_ALU | BPF_RSH | BPF_X, 0), 0x10000000);
	CHECK_INT(computed(1, BPF_ALU | BPF_NEG, 0), 0xffffffffu);
	CHECK_INT(computed(9, BPF_MISC | BPF_TXA, 0), 3);
	CHECK_INT(computed(9, BPF_LD | BPF_W | BPF_LEN, 0), sizeof(struct seccomp_data));
}

static void loads(void)
{
	const struct sock_filter memory[] = {
		LD(args[5]),
		BPF_STMT(BPF_ST, 15),
		BPF_STMT(BPF_LD | BPF_IMM, 2),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_STX, 0),
		BPF_STMT(BPF_LDX | BPF_MEM, 15),
		BPF_STMT(BPF_LD | BPF_MEM, 0),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_X, 0),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};

	CHECK_INT(computed(0, BPF_LD | BPF_W | BPF_ABS, 0), 59);
	CHECK_INT(computed(0, BPF_LD | BPF_W | BPF_ABS, 4), AUDIT_ARCH_X86_64);
	CHECK_INT(computed(0, BPF_LD | BPF_W | BPF_ABS, 8), 0x55667788);
	CHECK_INT(computed(0, BPF_LD | BPF_W | BPF_ABS, 12), 0x11223344);
	CHECK_INT(computed(0, BPF_LD | BPF_W | BPF_ABS, 16), 0x05060708);
	CHECK_INT(computed(0, BPF_LD | BPF_W | BPF_ABS, 60), 0xffffffffu);
	CHECK_INT(run(memory, N(memory)), 2);
}

/* Does the jump go where it says? */
static bool jumps(uint16_t op, uint32_t a, uint32_t k)
{
	const struct sock_filter program[] = {
		BPF_STMT(BPF_LDX | BPF_IMM, k),
		BPF_STMT(BPF_LD | BPF_IMM, a),
		BPF_JUMP(BPF_JMP | op | BPF_K, k, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, 1),
		BPF_JUMP(BPF_JMP | op | BPF_X, 0, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, 2),
		BPF_STMT(BPF_JMP | BPF_JA, 1),
		BPF_STMT(BPF_RET | BPF_K, 3),
		BPF_STMT(BPF_RET | BPF_K, 4),
	};
	uint32_t result = run(program, N(program));

	CHECK(result == 1 || result == 4);
	return result == 4;
}

static void branches(void)
{
	CHECK(jumps(BPF_JEQ, 5, 5) && !jumps(BPF_JEQ, 5, 6));
	CHECK(jumps(BPF_JGT, 0xffffffffu, 1) && !jumps(BPF_JGT, 5, 5));
	CHECK(jumps(BPF_JGE, 5, 5) && !jumps(BPF_JGE, 4, 5));
	CHECK(jumps(BPF_JSET, 6, 2) && !jumps(BPF_JSET, 6, 1));
}

static void nonsense(void)
{
	const struct sock_filter no_end[] = {BPF_STMT(BPF_LD | BPF_IMM, 1)};
	const struct sock_filter far[] = {BPF_STMT(BPF_JMP | BPF_JA, 0xffffffffu), BPF_STMT(BPF_RET | BPF_K, 1)};
	const struct sock_filter beyond[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, sizeof(struct seccomp_data)),
	                                     BPF_STMT(BPF_RET | BPF_K, 1)};
	const struct sock_filter odd[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2), BPF_STMT(BPF_RET | BPF_K, 1)};
	const struct sock_filter memory[] = {BPF_STMT(BPF_ST, BPF_MEMWORDS), BPF_STMT(BPF_RET | BPF_K, 1)};
	uint32_t result;

	CHECK_INT(filter_run(no_end, N(no_end), &call, &result), -EINVAL);
	CHECK_INT(filter_run(far, N(far), &call, &result), -EINVAL);
	CHECK_INT(filter_run(beyond, N(beyond), &call, &result), -EINVAL);
	CHECK_INT(filter_run(odd, N(odd), &call, &result), -EINVAL);
	CHECK_INT(filter_run(memory, N(memory), &call, &result), -EINVAL);
	CHECK_INT(filter_run(memory, 0, &call, &result), -EINVAL);
}

/* From the strongest to the weakest, as seccomp(2) lists them. */
static void precedence(void)
{
	static const uint32_t order[] = {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD, SECCOMP_RET_TRAP,
	                                 SECCOMP_RET_ERRNO,        SECCOMP_RET_USER_NOTIF,  SECCOMP_RET_TRACE,
	                                 SECCOMP_RET_LOG,          SECCOMP_RET_ALLOW};

	for (size_t i = 0; i < N(order); i++) {
		for (size_t j = i; j < N(order); j++) {
			CHECK_INT(filter_stronger(order[i] | 7, order[j]), order[i]);
			CHECK_INT(filter_stronger(order[j], order[i] | 9), order[i]);
		}
	}
}

/* Some computation on getpid's arguments that ends in an errno of 0 to 63: what the kernel makes of it is seen. */
static size_t random_filter(struct sock_filter *code)
{
	static const uint16_t ops[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_AND, BPF_OR, BPF_XOR, BPF_LSH, BPF_RSH, BPF_NEG};
	static const uint16_t tests[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
	size_t n = 0;

	code[n++] = (struct sock_filter)LD(nr);
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_ST, 0);
	for (int i = 0; i < 20; i++) {
		uint16_t op = ops[(size_t)random() % N(ops)];
		uint32_t k = op == BPF_LSH || op == BPF_RSH ? (uint32_t)random() % 32 : (uint32_t)random();

		switch (random() % 5) {
		case 0:
			code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 16 + 4 * (random() % 12));
			break;
		case 1:
			code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | tests[random() % 4] | BPF_K, k, 1, 0);
			code[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_XOR | BPF_K, (uint32_t)random());
			break;
		case 2:
			code[n++] = (struct sock_filter)BPF_STMT(BPF_MISC | BPF_TAX, 0);
			break;
		case 3:
			code[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_XOR | BPF_X, 0);
			break;
		default:
			code[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | op | BPF_K, k);
		}
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 63);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_A, 0);
	return n;
}

static void against_the_kernel(void)
{
	for (int i = 0; i < 200; i++) {
		struct sock_filter code[64];
		struct sock_fprog prog = {.len = (unsigned short)random_filter(code), .filter = code};
		struct seccomp_data data = {.nr = SYS_getpid, .arch = AUDIT_ARCH_X86_64};
		uint32_t result = 0;
		pid_t pid;

		for (int a = 0; a < 6; a++)
			data.args[a] = (uint64_t)random() << 33 ^ (uint64_t)random();
		CHECK_INT(filter_run(code, prog.len, &data, &result), 0);
		pid = child();
		if (pid == 0) {
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
			if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
				_exit(99);
			errno = 0;
			syscall(SYS_getpid, data.args[0], data.args[1], data.args[2], data.args[3], data.args[4],
			        data.args[5]);
			_exit(errno);
		}
		CHECK_INT(end_of(pid), (int)(result & SECCOMP_RET_DATA) << 8);
	}
}

/* Several filters of a stopped process together. */
static void judged(void)
{
	struct sock_filter one[] = {LD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 59, 0, 1),
	                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_LOG),
	                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_filter two[] = {LD(args[0]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 77, 0, 1),
	                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 5),
	                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog programs[] = {{N(one), one}, {N(two), two}};
	struct seccomp_data data = {.nr = 59, .arch = AUDIT_ARCH_X86_64};
	uint32_t action = 1;
	pid_t pid = child();
	int err;

	if (pid == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		for (int i = 0; i < 2; i++)
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &programs[i]);
		ptrace(PTRACE_TRACEME, 0, 0L, 0L);
		raise(SIGSTOP);
		_exit(0);
	}
	CHECK(wait_stop(pid, SIGSTOP));
	err = filters_judge(pid, &data, &action);
	if (err == -EACCES || err == -EIO) {
		printf("# skipped: filters cannot be read here: %s\n", strerror(-err));
	} else {
		CHECK_INT(err, 0);
		CHECK_INT(action, SECCOMP_RET_LOG);
		data.args[0] = 77;
		CHECK_INT(filters_judge(pid, &data, &action), 0);
		CHECK_INT(action, SECCOMP_RET_ERRNO);
		data = (struct seccomp_data){.nr = 1};
		CHECK_INT(filters_judge(pid, &data, &action), 0);
		CHECK_INT(action, SECCOMP_RET_ALLOW);
	}
	finish(pid);
	CHECK(filters_judge(pid, &data, &action) < 0);
}

int main(void)
{
	scratch_begin(60);
	srandom(1);
	arithmetic();
	loads();
	branches();
	nonsense();
	precedence();
#ifdef __x86_64__
	against_the_kernel();
#else
	printf("# skipped: against the kernel, for x86-64 only\n");
#endif
	judged();
	return TAP_DONE();
}
