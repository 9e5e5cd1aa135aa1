/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bpf.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

#define NEAR 255u /* instructions that a conditional jump reaches over */

/* Numbers from `first` to the first of the next range: all wanted, or all not. */
struct bpf_range {
	uint32_t first;
	bool wanted;
};

/* Those of one audit architecture, whose ABIs are told apart by a bit of the number (x32). */
struct ranges {
	struct bpf_range at[2 * SYSCALL_NR_MAX + 2];
	unsigned n;
};

/* names: ended by NULL. */
static bool is_one_of(const struct arch *arch, uint32_t nr, const char *const *names)
{
	const struct syscall_desc *desc = syscall_by_nr(arch, nr);

	while (desc && *names && strcmp(desc->name, *names) != 0)
		names++;
	return desc && *names;
}

bool bpf_is_fork(const struct arch *arch, uint32_t nr)
{
	static const char *const names[] = {"clone", "clone3", "fork", "vfork", NULL};

	return is_one_of(arch, nr, names);
}

bool bpf_may_sandbox(const struct arch *arch, uint32_t nr)
{
	static const char *const names[] = {"seccomp", "prctl", NULL};

	return is_one_of(arch, nr, names);
}

bool bpf_is_sandbox(const struct syscall_call *call)
{
	if (!call->arch || !bpf_may_sandbox(call->arch, call->nr))
		return false;
	if (call->nr == call->arch->nr_prctl)
		return (int)call->args[0] == PR_SET_SECCOMP;
	return (uint32_t)call->args[0] <= SECCOMP_SET_MODE_FILTER;
}

static void add_number(struct ranges *ranges, uint32_t nr, bool wanted)
{
	if (ranges->n && ranges->at[ranges->n - 1].wanted == wanted)
		return;
	ranges->at[ranges->n++] = (struct bpf_range){nr, wanted};
}

/* Which calls stop. */
struct choice {
	const struct syscall_filter *filter;
	bool execs;
};

static bool is_chosen(const struct choice *choice, const struct arch *arch, uint32_t nr)
{
	if (arch_is_exec(arch, nr) && !choice->execs)
		return false;
	return syscall_filter_has(choice->filter, arch, nr) || bpf_is_fork(arch, nr) || bpf_may_sandbox(arch, nr);
}

/* The numbers of an ABI, and those behind them. */
static void add_abi(struct ranges *ranges, const struct choice *choice, const struct arch *arch)
{
	for (uint32_t nr = 0; nr < SYSCALL_NR_MAX; nr++)
		add_number(ranges, nr | arch->nr_bit, is_chosen(choice, arch, nr | arch->nr_bit));
	add_number(ranges, SYSCALL_NR_MAX | arch->nr_bit, choice->filter->unknown);
}

static void add_audit(struct ranges *ranges, const struct choice *choice, uint32_t audit)
{
	ranges->n = 0;
	for (int narrow = 0; narrow < 2; narrow++) {
		for (size_t i = 0; arch_at(i); i++) {
			if (arch_at(i)->audit == audit && (arch_at(i)->nr_bit != 0) == narrow)
				add_abi(ranges, choice, arch_at(i));
		}
	}
}

static unsigned tree_size(unsigned n)
{
	unsigned left = 0;

	if (n == 1)
		return 1;
	left = tree_size(n / 2);
	return (left > NEAR ? 2 : 1) + left + tree_size(n - n / 2);
}

static void put(struct bpf_program *program, struct sock_filter insn)
{
	if (program->n < BPF_MAXINSNS)
		program->insns[program->n] = insn;
	program->n++;
}

/* Finds the range in which the number is. */
static void put_tree(struct bpf_program *program, const struct bpf_range *ranges, unsigned n)
{
	unsigned left = n / 2;
	unsigned size = 0;

	if (n == 1) {
		put(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		                                          ranges->wanted ? SECCOMP_RET_TRACE : SECCOMP_RET_ALLOW));
		return;
	}
	size = tree_size(left);
	if (size > NEAR) {
		put(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, ranges[left].first, 0, 1));
		put(program, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, size));
	} else {
		put(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, ranges[left].first,
		                                          (unsigned char)size, 0));
	}
	put_tree(program, ranges, left);
	put_tree(program, ranges + left, n - left);
}

/* What is done with the calls of one audit architecture; others go on behind. */
static void put_audit(struct bpf_program *program, const struct choice *choice, uint32_t audit)
{
	struct ranges ranges;

	add_audit(&ranges, choice, audit);
	put(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, audit, 1, 0));
	put(program, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 1 + tree_size(ranges.n)));
	put(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
	put_tree(program, ranges.at, ranges.n);
}

static bool seen_before(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (arch_at(i)->audit == arch_at(n)->audit)
			return true;
	}
	return false;
}

int bpf_make(const struct syscall_filter *filter, bool execs, struct bpf_program *program)
{
	const struct choice choice = {filter, execs};

	program->n = 0;
	put(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
	for (size_t i = 0; arch_at(i); i++) {
		if (!seen_before(i))
			put_audit(program, &choice, arch_at(i)->audit);
	}
	put(program,
	    (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, filter->unknown ? SECCOMP_RET_TRACE : SECCOMP_RET_ALLOW));
	return program->n <= BPF_MAXINSNS ? 0 : -E2BIG;
}
