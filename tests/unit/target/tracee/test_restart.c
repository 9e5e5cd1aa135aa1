/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers as an interrupted execve leaves them, and as it restarts; the program runs as it would have. */
#include "program.h"
#include "tap.h"
#include <exectrace/target/tracee/ptrace.h>
#include <exectrace/target/tracee/restart.h>

static const char source[] = "#include <unistd.h>\nint main(void) { return 5; }\n";

struct row {
	bool exec;  /* the call is an execve; else another */
	int result; /* of it */
	bool due;   /* somebody will restart it */
	bool anew;  /* ... by us */
};

static const struct row rows[] = {
	{true, -512, true, true}, {true, -513, true, false}, {true, -2, false, false},    {true, -514, false, false},
	{true, 0, false, false},  {true, -4, false, false},  {false, -512, false, false}, {false, -513, false, false},
};

/* abi: of the call; its registers are laid out as the thread's own. */
static void try(pid_t pid, const struct regs *plain, const struct arch *abi, const struct row *row)
{
	const struct arch *arch = plain->arch;
	uint64_t nr = row->exec ? abi->nr_execve : abi->nr_prctl, pc = arch_reg(arch, plain->raw, REG_PC);
	struct regs regs = *plain, after;

	arch_set_reg(arch, regs.raw, REG_ORIG_NR, nr);
	arch_set_reg(arch, regs.raw, REG_RET, (uint64_t)(int64_t)row->result);
	CHECK_INT(tracee_set_regs(pid, &regs), 0);
	CHECK_INT(restart_is_due(pid), row->due);
	CHECK_INT(restart_exec(pid), row->anew);
	CHECK_INT(tracee_regs(pid, &after), 0);
	CHECK_INT(arch_reg(arch, after.raw, REG_PC), row->anew ? pc - arch->insn_len : pc);
	CHECK_INT((int32_t)arch_reg(arch, after.raw, REG_ORIG_NR), row->anew ? -1 : (int32_t)nr);
	CHECK_INT((int32_t)arch_reg(arch, after.raw, REG_NR), row->anew ? (int32_t)nr : row->result);
	CHECK_INT(restart_is_due(pid), row->due && !row->anew);
	CHECK_INT(tracee_set_regs(pid, plain), 0);
}

static void kind(const char *name, const char *flags)
{
	char *argv[] = {NULL, NULL}, *envp[] = {NULL};
	struct stopped s;
	struct regs regs;

	if (!build_to_run(name, source, flags))
		return;
	printf("# %s\n", name);
	argv[0] = (char *)place(name).path;
	s = start_stopped(argv, envp);
	if (!CHECK(s.pid > 0) || !CHECK_INT(tracee_regs(s.pid, &regs), 0))
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		try(s.pid, &regs, regs.arch, &rows[i]);
		if (regs.arch == arch_native()) /* a 64-bit program makes calls of x32, too */
			try(s.pid, &regs, arch_by_name("x32"), &rows[i]);
	}
	CHECK_INT(tracee_detach(s.pid, 0), 0);
	CHECK_INT(end_of(s.pid), 5 << 8);
	CHECK(!restart_is_due(s.pid) && !restart_exec(s.pid));
	close(s.out);
}

int main(void)
{
	scratch_begin(60);
#ifdef __x86_64__
	kind("dynamic", "");
	kind("static", "-static");
	kind("narrow", "-m32");
#else
	printf("# nothing is rewritten on this machine\n");
	CHECK(!restart_exec(getpid()));
#endif
	return TAP_DONE();
}
