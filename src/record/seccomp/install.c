/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "install.h"

#include <errno.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/tracee/inject.h>
#include <exectrace/target/tracee/wait.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BELOW 256u /* bytes below the stack pointer that are the program's: the red zone is 128 */
#define HEAD 16u   /* room for struct sock_fprog with pointers of 4 or 8 bytes */

bool install_is_outside(pid_t tid)
{
	struct regs regs;
	int64_t nr = 0;

	if (tracee_regs(tid, &regs))
		return false;
	nr = (int64_t)arch_reg(regs.arch, regs.raw, REG_ORIG_NR);
	return (regs.arch->reg_width == 4 ? (int32_t)nr : nr) < 0;
}

bool install_is_restarting(pid_t tid)
{
	struct regs regs;
	int64_t result = 0;

	if (tracee_regs(tid, &regs))
		return false;
	result = (int64_t)arch_reg(regs.arch, regs.raw, REG_RET);
	if (regs.arch->reg_width == 4)
		result = (int32_t)result;
	return is_restart(result);
}

/* struct sock_fprog and the instructions behind it as they are to lie at addr. Their size; 0 without memory. */
static size_t lay_out(const struct bpf_program *program, unsigned word, uint64_t addr, unsigned char **image)
{
	const uint16_t n = (uint16_t)program->n;
	const uint64_t insns = addr + HEAD;
	size_t size = program->n * sizeof(program->insns[0]);

	*image = calloc(1, HEAD + size);
	if (!*image)
		return 0;
	memcpy(*image, &n, sizeof(n));
	memcpy(*image + word, &insns, word);
	memcpy(*image + HEAD, program->insns, size);
	return HEAD + size;
}

/* Lets the thread run into the call and out of it. */
static int pass_call(pid_t tid, int *status)
{
	struct wait_event ev;
	bool stopped = false;
	int err = 0;

	for (int stops = 0; stops < 2 && !err;) {
		err = tracee_to_syscall(tid, 0);
		if (!err || err == -ESRCH) /* it was killed: that is told, too */
			err = wait_for_traced(tid, &ev);
		if (err == -ESRCH)
			*status = SIGKILL;
		if (!err && ev.kind == WAIT_EXIT) {
			*status = ev.status;
			err = -ESRCH;
		}
		if (!err && ev.kind == WAIT_SYSCALL)
			stops++;
		stopped |= !err && ev.kind == WAIT_SIGNAL;
	}
	if (stopped) /* by the only signal that cannot be blocked; it is the program's, once it runs */
		(void)syscall(SYS_tkill, tid, SIGSTOP);
	return err;
}

static int make_call(const struct inject *inject, uint32_t nr, const uint64_t *args, unsigned n, int *status)
{
	struct regs regs;
	int64_t result = 0;
	int err = inject_call(inject, nr, args, n);

	if (!err || err == -ESRCH)
		err = pass_call(inject->tid, status);
	if (!err)
		err = tracee_regs(inject->tid, &regs);
	if (err)
		return err;
	result = (int64_t)arch_reg(regs.arch, regs.raw, REG_RET);
	return (int)result;
}

/* Writes the program below the stack and makes the call. 0 or -errno, its own too. */
static int call_seccomp(const struct inject *inject, const struct bpf_program *program, int *status)
{
	const struct arch *arch = inject->saved.arch;
	uint64_t size = HEAD + program->n * sizeof(program->insns[0]);
	uint64_t addr = (arch_reg(arch, inject->saved.raw, REG_SP) - BELOW - size) & ~UINT64_C(15);
	uint64_t args[3] = {SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, addr};
	long nr = syscall_nr(arch, "seccomp");
	unsigned char *image = NULL;
	int err = nr < 0 ? -ENOSYS : 0;

	if (!err && !lay_out(program, arch->word, addr, &image))
		err = -ENOMEM;
	if (!err)
		err = mem_write(inject->tid, addr, image, size);
	if (!err)
		err = make_call(inject, (uint32_t)nr, args, 3, status);
	free(image);
	return err;
}

/* On record before the deed: what has to be undone is known whenever the caller ends. */
static void reach(struct install *install, enum install_stage stage)
{
	__atomic_store_n(&install->stage, stage, __ATOMIC_RELEASE);
}

int install_undo(struct install *install)
{
	int err = 0;

	if (install->stage == INSTALL_CALL)
		err = inject_end(&install->inject);
	if (!err)
		err = tracee_set_sigmask(install->tid, install->mask);
	reach(install, INSTALL_NONE);
	return err;
}

int install_filter(struct install *install, pid_t tid, const struct bpf_program *program, int *status)
{
	int undo = 0;
	int err = tracee_sigmask(tid, &install->mask);

	if (err)
		return err;
	install->tid = tid;
	reach(install, INSTALL_SIGNALS);
	/* A signal would be delivered before the call is made. */
	err = tracee_set_sigmask(tid, ~UINT64_C(0));
	if (!err)
		err = inject_remember(&install->inject, tid);
	if (!err) {
		reach(install, INSTALL_CALL);
		err = inject_write(&install->inject);
	}
	if (!err)
		err = call_seccomp(&install->inject, program, status);
	undo = install_undo(install);
	return err ? err : undo;
}
