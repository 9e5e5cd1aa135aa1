/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/tracee/filters.h>

#include <errno.h>
#include <exectrace/target/tracee/ptrace.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The registers of the machine that classic BPF is for. */
struct filters_machine {
	const struct seccomp_data *call;
	uint32_t a;
	uint32_t x;
	uint32_t mem[BPF_MEMWORDS];
};

static int load(struct filters_machine *m, const struct sock_filter *insn)
{
	uint32_t *to = BPF_CLASS(insn->code) == BPF_LDX ? &m->x : &m->a;

	switch (BPF_MODE(insn->code)) {
	case BPF_IMM:
		*to = insn->k;
		return 0;
	case BPF_LEN:
		*to = sizeof(*m->call);
		return 0;
	case BPF_MEM:
		if (insn->k >= BPF_MEMWORDS)
			return -EINVAL;
		*to = m->mem[insn->k];
		return 0;
	case BPF_ABS:
		if (to != &m->a || BPF_SIZE(insn->code) != BPF_W || insn->k % sizeof(uint32_t) ||
		    insn->k >= sizeof(*m->call))
			return -EINVAL;
		memcpy(to, (const char *)m->call + insn->k, sizeof(*to));
		return 0;
	default:
		return -EINVAL;
	}
}

static int store(struct filters_machine *m, const struct sock_filter *insn)
{
	if (insn->k >= BPF_MEMWORDS)
		return -EINVAL;
	m->mem[insn->k] = BPF_CLASS(insn->code) == BPF_ST ? m->a : m->x;
	return 0;
}

static uint32_t shifted(uint32_t value, uint32_t by, bool left)
{
	if (by >= 32)
		return 0;
	return left ? value << by : value >> by;
}

/* False for a division by 0, which ends a filter with 0 (KILL_THREAD). */
static bool compute(struct filters_machine *m, const struct sock_filter *insn, int *err)
{
	uint32_t by = BPF_SRC(insn->code) == BPF_X ? m->x : insn->k;

	switch (BPF_OP(insn->code)) {
	case BPF_ADD:
		m->a += by;
		break;
	case BPF_SUB:
		m->a -= by;
		break;
	case BPF_MUL:
		m->a *= by;
		break;
	case BPF_DIV:
		if (!by)
			return false;
		m->a /= by;
		break;
	case BPF_AND:
		m->a &= by;
		break;
	case BPF_OR:
		m->a |= by;
		break;
	case BPF_XOR:
		m->a ^= by;
		break;
	case BPF_LSH:
	case BPF_RSH:
		m->a = shifted(m->a, by, BPF_OP(insn->code) == BPF_LSH);
		break;
	case BPF_NEG:
		m->a = -m->a;
		break;
	default:
		*err = -EINVAL;
	}
	return true;
}

/* How many instructions are skipped, or -EINVAL. */
static int64_t jump(const struct filters_machine *m, const struct sock_filter *insn)
{
	uint32_t with = BPF_SRC(insn->code) == BPF_X ? m->x : insn->k;
	bool yes = false;

	switch (BPF_OP(insn->code)) {
	case BPF_JA:
		return insn->k;
	case BPF_JEQ:
		yes = m->a == with;
		break;
	case BPF_JGT:
		yes = m->a > with;
		break;
	case BPF_JGE:
		yes = m->a >= with;
		break;
	case BPF_JSET:
		yes = (m->a & with) != 0;
		break;
	default:
		return -EINVAL;
	}
	return yes ? insn->jt : insn->jf;
}

/* One instruction that is no jump. 1 when it has ended the filter, with *result. */
static int step(struct filters_machine *m, const struct sock_filter *insn, uint32_t *result)
{
	int err = 0;

	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
	case BPF_LDX:
		return load(m, insn);
	case BPF_ST:
	case BPF_STX:
		return store(m, insn);
	case BPF_ALU:
		if (compute(m, insn, &err))
			return err;
		*result = 0;
		return 1;
	case BPF_RET:
		*result = BPF_RVAL(insn->code) == BPF_A ? m->a : insn->k;
		return 1;
	default: /* BPF_MISC */
		if (BPF_MISCOP(insn->code) == BPF_TAX)
			m->x = m->a;
		else
			m->a = m->x;
		return 0;
	}
}

int filter_run(const struct sock_filter *insns, size_t n, const struct seccomp_data *call, uint32_t *result)
{
	struct filters_machine m = {.call = call};

	/* Jumps only lead forward. */
	for (size_t pc = 0; pc < n; pc++) {
		int64_t skip = BPF_CLASS(insns[pc].code) == BPF_JMP ? jump(&m, &insns[pc]) : 0;
		int end = skip < 0 ? (int)skip : 0;

		if (BPF_CLASS(insns[pc].code) != BPF_JMP)
			end = step(&m, &insns[pc], result);
		if (end)
			return end < 0 ? end : 0;
		pc += (size_t)skip;
	}
	return -EINVAL;
}

uint32_t filter_stronger(uint32_t a, uint32_t b)
{
	/* Signed: KILL_PROCESS is the lowest (ACTION_ONLY, kernel/seccomp.c). */
	int32_t one = (int32_t)(a & SECCOMP_RET_ACTION_FULL);
	int32_t other = (int32_t)(b & SECCOMP_RET_ACTION_FULL);

	return (uint32_t)(one < other ? one : other);
}

int filters_judge(pid_t tid, const struct seccomp_data *call, uint32_t *action)
{
	struct sock_filter *insns = calloc(BPF_MAXINSNS, sizeof(*insns));
	unsigned index = 0;
	int err = insns ? 0 : -ENOMEM;

	*action = SECCOMP_RET_ALLOW;
	while (!err) {
		uint32_t result = 0;
		int n = tracee_filter(tid, index, insns);

		if (n == -ENOENT)
			break;
		err = n < 0 ? n : filter_run(insns, (size_t)n, call, &result);
		*action = filter_stronger(*action, result);
		index++;
	}
	free(insns);
	return err;
}
