/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"

#include <errno.h>
#include <string.h>

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
