/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and variables of a program that has not begun. */
#include <exectrace/pick/engine/engine.h>
#include <exectrace/target/process/stack.h>
#include <exectrace/target/tracee/ptrace.h>

/* `old` is as it is now. When the last step fails, or one before, that is put back: the new one lies over it. */
static int edit(const struct stack_image *old, struct regs *regs, const struct engine_edit *what)
{
	struct stack_image image;
	int err = stack_read(&image, old->tid, regs);

	if (err)
		return err;
	stack_keep_args(&image, what->keep);
	err = stack_extend(&image, regs, &what->args, &what->env);
	stack_release(&image);
	if (!err)
		err = tracee_set_regs(old->tid, regs);
	if (err)
		(void)stack_write(old);
	return err;
}

int engine_edit(struct tracee *tracee, const struct engine_edit *what)
{
	struct stack_image old;
	struct regs regs;
	int err = tracee_regs(tracee->tid, &regs);

	if (!err)
		err = stack_read(&old, tracee->tid, &regs);
	if (err)
		return err;
	err = edit(&old, &regs, what);
	stack_release(&old);
	return err;
}
