/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <errno.h>
#include <string.h>

#define SYSCALL_BYTES 2 /* of the instruction */

int registers_get(pid_t tid, struct user_regs_struct *to)
{
	struct regs regs;
	int err = tracee_regs_as(tid, arch_by_name("x86_64"), &regs);

	if (err)
		return err;
	if (regs.arch->regs_size != sizeof(*to))
		return -ENOTSUP;
	memcpy(to, regs.raw, sizeof(*to));
	return 0;
}

int registers_set(pid_t tid, const struct user_regs_struct *from)
{
	struct regs regs = {.arch = arch_by_name("x86_64")};

	memcpy(regs.raw, from, sizeof(*from));
	return tracee_set_regs(tid, &regs);
}

void registers_at_call(const struct record *record, const struct stack_chunk *more, struct regs *to)
{
	const struct user_regs_struct regs = {
		.rip = more->site + SYSCALL_BYTES,
		.rsp = record->sp,
		.rbx = more->rbx,
		.rbp = more->rbp,
		.r12 = more->r12,
		.r13 = more->r13,
		.r14 = more->r14,
		.r15 = more->r15,
		.rdi = record->args[0],
		.rsi = record->args[1],
		.rdx = record->args[2],
		.r10 = record->args[3],
		.r8 = record->args[4],
		.r9 = record->args[5],
	};

	to->arch = arch_by_name("x86_64");
	memcpy(to->raw, &regs, sizeof(regs));
}

static bool is_ours(const struct user_regs_struct *regs)
{
	return regs->gs_base - INSIDE_DATA < INSIDE_DATA_BYTES;
}

bool registers_use_gs(const struct user_regs_struct *regs)
{
	return regs->gs || (regs->gs_base && !is_ours(regs));
}

void registers_free_gs(struct user_regs_struct *regs)
{
	if (is_ours(regs))
		regs->gs_base = 0;
}

void registers_take_gs_back(pid_t tid)
{
	struct user_regs_struct regs;

	if (registers_get(tid, &regs))
		return;
	registers_free_gs(&regs);
	(void)registers_set(tid, &regs);
}
