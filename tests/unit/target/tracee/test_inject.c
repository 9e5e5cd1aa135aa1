/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls made by a program before its first instruction, which it then does not know of. */
#include "program.h"
#include "tap.h"
#include <errno.h>
#include <exectrace/target/tracee/inject.h>
#include <exectrace/target/tracee/wait.h>

static const char source[] = "#include <stdio.h>\n#include <unistd.h>\n"
			     "int main(int c, char **v) { printf(\"%d %s\\n\", c, v[c - 1]); return 5; }\n";

#define TEXT 64u /* bytes looked at on each side of the entry point */

/* Makes the call and runs the thread to its end: 0 with *result, or -errno. */
static int call_and_wait(const struct inject *inject, uint32_t nr, const uint64_t *args, unsigned n, int64_t *result)
{
	int err = inject_call(inject, nr, args, n);
	struct wait_event ev;
	struct regs regs;

	for (int stops = 0; stops < 2 && !err; stops++) { /* its entry and its end */
		err = tracee_to_syscall(inject->tid, 0);
		if (!err)
			err = wait_for(inject->tid, &ev);
		if (!err && ev.kind != WAIT_SYSCALL)
			err = -ESRCH;
	}
	if (!err)
		err = tracee_regs(inject->tid, &regs);
	if (err)
		return err;
	*result = (int64_t)arch_reg(regs.arch, regs.raw, REG_RET);
	if (regs.arch->reg_width == 4)
		*result = (int32_t)*result;
	return 0;
}

/* Calls that succeed and fail; registers and text are put back. */
static void call(const char *program, uint32_t nr_getpid, uint32_t nr_prctl)
{
	char *argv[] = {(char *)program, (char *)"last", NULL}, *envp[] = {NULL}, text[64];
	struct stopped s = start_stopped(argv, envp);
	unsigned char before[2 * TEXT], during[2 * TEXT], after[2 * TEXT];
	const uint64_t bad[5] = {9999, 1, 2, 3, 4};
	struct regs regs, again;
	struct inject inject;
	int64_t result = 0;
	uint64_t pc;

	if (!CHECK(s.pid > 0) || !CHECK_INT(tracee_regs(s.pid, &regs), 0))
		return;
	pc = arch_reg(regs.arch, regs.raw, REG_PC);
	CHECK(peek(s.pid, pc - TEXT, before, sizeof(before)));
	CHECK_INT(inject_begin(&inject, s.pid), 0);
	CHECK(peek(s.pid, pc - TEXT, during, sizeof(during)));
	CHECK(memcmp(before, during, TEXT) == 0);
	CHECK(memcmp(during + TEXT, regs.arch->syscall_insn, regs.arch->insn_len) == 0);
	CHECK_INT(call_and_wait(&inject, nr_getpid, NULL, 0, &result), 0);
	CHECK_INT(result, s.pid);
	CHECK_INT(call_and_wait(&inject, nr_prctl, bad, 5, &result), 0);
	CHECK_INT(result, -EINVAL);
	CHECK_INT(call_and_wait(&inject, nr_getpid, NULL, 0, &result), 0);
	CHECK_INT(result, s.pid);
	CHECK_INT(inject_end(&inject), 0);
	CHECK(peek(s.pid, pc - TEXT, after, sizeof(after)) && memcmp(before, after, sizeof(before)) == 0);
	CHECK_INT(tracee_regs(s.pid, &again), 0);
	for (int r = REG_PC; r < REG_COUNT; r++)
		if (r != REG_ORIG_NR)
			CHECK_INT(arch_reg(again.arch, again.raw, (enum reg)r),
			          arch_reg(regs.arch, regs.raw, (enum reg)r));
	CHECK_INT(tracee_detach(s.pid, 0), 0);
	CHECK_STR(output_of(s.out, text, sizeof(text)), "2 last\n");
	CHECK_INT(end_of(s.pid), 5 << 8);
	close(s.out);
}

/* The process dies in between: an error, no wait without end. */
static void killed(const char *program)
{
	char *argv[] = {(char *)program, NULL}, *envp[] = {NULL};
	struct stopped s = start_stopped(argv, envp);
	struct inject inject;
	int64_t result = 0;

	CHECK_INT(inject_begin(&inject, s.pid), 0);
	kill(s.pid, SIGKILL);
	CHECK(call_and_wait(&inject, inject.saved.arch->nr_prctl, NULL, 0, &result) < 0);
	CHECK(inject_end(&inject) < 0);
	finish(s.pid);
	CHECK(inject_begin(&inject, s.pid) < 0);
	close(s.out);
}

static void kind(const char *name, const char *flags, uint32_t nr_getpid, uint32_t nr_prctl)
{
	if (!build_to_run(name, source, flags))
		return;
	printf("# %s\n", name);
	call(place(name).path, nr_getpid, nr_prctl);
	killed(place(name).path);
}

int main(void)
{
	scratch_begin(60);
#ifdef __x86_64__
	kind("dynamic", "", 39, 157);
	kind("static", "-static", 39, 157);
	kind("narrow", "-m32", 20, 172);
#else
	kind("dynamic", "", 172, 167);
#endif
	return TAP_DONE();
}
