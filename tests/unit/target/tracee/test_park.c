/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs of all kinds, parked in each way: they do not run, nobody is attached, and once they are released their text
 * is what it was and they do what they would have done.
 */
#include "program.h"
#include "tap.h"
#include <exectrace/target/tracee/park.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/time.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

#define TEXT 256u /* bytes compared on each side of the entry point */

static const char source[] =
	"#include <stdio.h>\n#include <stdlib.h>\n"
	"int main(int c, char **v) { printf(\"%d %s %s\\n\", c, v[c - 1], getenv(\"E\")); return 9; }\n";

/* Begins where its segment does: nothing is mapped before its entry point. */
static const char bare_source[] = "#ifdef __x86_64__\n"
				  "__asm__(\".globl _start\\n_start: mov $60, %eax\\n mov $9, %edi\\n syscall\\n\");\n"
				  "#else\n"
				  "__asm__(\".globl _start\\n_start: mov $1, %eax\\n mov $9, %ebx\\n int $0x80\\n\");\n"
				  "#endif\n";

/* Writes the registers of its first instruction: rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp, r8 to r15. */
static const char regs_source[] =
	"#define S(r, n) \"mov %\" #r \", regs+\" #n \"(%rip)\\n\"\n"
	"__asm__(\".skip 64, 0x90\\n.globl _start\\n_start:\\n\" S(rax, 0) S(rbx, 8) S(rcx, 16)\n"
	"S(rdx, 24) S(rsi, 32) S(rdi, 40) S(rbp, 48) S(rsp, 56) S(r8, 64) S(r9, 72)\n"
	"S(r10, 80) S(r11, 88) S(r12, 96) S(r13, 104) S(r14, 112) S(r15, 120)\n"
	"\"mov $1, %eax\\n mov $1, %edi\\n lea regs(%rip), %rsi\\n mov $128, %edx\\n syscall\\n\"\n"
	"\"mov $60, %eax\\n mov $9, %edi\\n syscall\\n .bss\\n .balign 8\\nregs: .skip 128\\n\");\n";

static int listener = -1; /* of park calls, of ours and of our children; -1: cannot be had */

/*
 * A filter that leaves the park calls of both ABIs to us and allows the rest: those with no path, so that we can still
 * execute programs.
 */
static void listen_to_parks(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 7),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_I386, 2, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 59, 2, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 11, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof(code) / sizeof(code[0]), code};

#ifdef __x86_64__
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	                        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &prog);
#endif
	(void)prog;
	if (listener < 0)
		printf("# skipped: PARK_CALL, for want of a seccomp listener\n");
}

/* A program about to be parked, or parked. */
struct parked {
	struct stopped s;
	struct park park;
	struct regs regs;
	uint64_t entry;
	size_t from; /* how much of the text before the entry point there is */
	unsigned char text[2 * TEXT];
	uint64_t notif; /* PARK_CALL: to be answered */
};

static void answer(uint64_t id)
{
	struct seccomp_notif_resp reply = {.id = id};

	CHECK_INT(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply), 0);
}

static bool text_is_as_before(const struct parked *p)
{
	unsigned char now[2 * TEXT];

	return peek(p->s.pid, p->entry - p->from, now, TEXT + p->from) && memcmp(now, p->text, TEXT + p->from) == 0;
}

static bool start(struct parked *p, const char *program)
{
	char *argv[] = {(char *)program, (char *)"last", NULL}, *envp[] = {(char *)"E=here", NULL};

	*p = (struct parked){.s = start_stopped(argv, envp), .from = TEXT};
	if (!CHECK(p->s.pid > 0) || !CHECK_INT(tracee_regs(p->s.pid, &p->regs), 0))
		return false;
	p->entry = arch_reg(p->regs.arch, p->regs.raw, REG_PC);
	if (!peek(p->s.pid, p->entry - 1, p->text, 1))
		p->from = 0;
	return CHECK(peek(p->s.pid, p->entry - p->from, p->text, TEXT + p->from));
}

/* Receives the call that the parked thread makes. */
static void receive(struct parked *p)
{
	struct seccomp_notif notif = {0};
	struct pollfd fd = {.fd = listener, .events = POLLIN};
	int n = 0;

	for (int i = 0; i < 500 && n == 0 && state_of(p->s.pid) != 'Z'; i++)
		n = poll(&fd, 1, 10);
	if (!CHECK_INT(n, 1) || !CHECK_INT(ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notif), 0))
		return;
	CHECK_INT(notif.pid, p->s.pid);
	CHECK_INT(notif.data.nr, p->regs.arch->nr_execve);
	CHECK(notif.data.instruction_pointer == p->park.pc && p->park.pc == p->entry);
	for (int i = 0; i < 6; i++)
		CHECK_INT(notif.data.args[i], 0);
	p->notif = notif.id;
}

static int tracer_of(pid_t pid)
{
	char name[64], text[2048] = "", *at;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	at = strstr(text, "TracerPid:");
	return at ? atoi(at + 10) : -1;
}

/* As its tracer does: it is in its sleep before it is let go of. */
static void let_go(struct parked *p, int sig)
{
	if (p->park.kind == PARK_SLEEP) {
		CHECK_INT(tracee_to_syscall(p->s.pid, 0), 0);
		CHECK(wait_stop(p->s.pid, SIGTRAP | 0x80));
	}
	CHECK_INT(tracee_detach(p->s.pid, sig), 0);
}

/* Parks it and lets go. */
static bool park(struct parked *p, const char *program, enum park_kind kind, enum park_kind want)
{
	if (!start(p, program))
		return false;
	CHECK_INT(park_plan(&p->park, p->s.pid, &p->regs, kind), 0);
	CHECK_INT(p->park.kind, want);
	CHECK(p->park.tid == p->s.pid && p->park.len > 0 && p->park.len <= PARK_BYTES_MAX);
	CHECK(p->park.addr + p->park.len >= p->entry && p->park.addr <= p->entry);
	CHECK(text_is_as_before(p));
	CHECK_INT(park_write(&p->park), 0);
	CHECK(!text_is_as_before(p));
	CHECK_INT(park_enter(&p->park), 0);
	let_go(p, 0);
	if (want == PARK_CALL)
		receive(p);
	CHECK(reaches_state(p->s.pid, want == PARK_LOOP ? "R" : "S"));
	CHECK_INT(tracer_of(p->s.pid), 0);
	return true;
}

/* Attaches as a tool does, and waits for the stop. */
static void attach(struct parked *p)
{
	CHECK_INT(ptrace(PTRACE_SEIZE, p->s.pid, 0L, 0L), 0);
	CHECK_INT(ptrace(PTRACE_INTERRUPT, p->s.pid, 0L, 0L), 0);
	CHECK_INT(tracer_of(p->s.pid), getpid());
}

/* It has been released: it does what it does, with its text as it was. */
static void runs(struct parked *p, const char *want)
{
	char text[512];

	CHECK_STR(output_of(p->s.out, text, sizeof(text)), want);
	CHECK_INT(end_of(p->s.pid), 9 << 8);
	close(p->s.out);
}

#define OUTPUT "2 last here\n"

/* A tool attaches, then the text is restored. */
static void released_to_tool(const char *program, enum park_kind kind, enum park_kind want, const char *output)
{
	struct parked p;

	if (!park(&p, program, kind, want))
		return;
	CHECK(is_silent(p.s.out, 20));
	attach(&p);
	if (want != PARK_CALL)
		CHECK(wait_stop(p.s.pid, SIGTRAP | PTRACE_EVENT_STOP << 8));
	CHECK_INT(park_restore(&p.park), 0);
	CHECK(text_is_as_before(&p));
	CHECK_INT(park_restore(&p.park), -ESRCH);
	if (want == PARK_CALL) {
		answer(p.notif);
		CHECK(wait_stop(p.s.pid, SIGTRAP | PTRACE_EVENT_STOP << 8));
	}
	CHECK(is_silent(p.s.out, 10));
	if (want != PARK_SLEEP && tracee_regs(p.s.pid, &p.regs) == 0)
		CHECK_INT(arch_reg(p.regs.arch, p.regs.raw, REG_PC), p.entry);
	CHECK_INT(ptrace(PTRACE_DETACH, p.s.pid, 0L, 0L), 0);
	runs(&p, output);
}

/* No tool comes. */
static void released_without(const char *program, enum park_kind kind, const char *output)
{
	struct parked p;

	if (!park(&p, program, kind, kind))
		return;
	if (kind == PARK_CALL) {
		CHECK_INT(park_restore(&p.park), 0);
		answer(p.notif);
	} else {
		CHECK_INT(park_undo(&p.park), PARK_DONE);
	}
	runs(&p, output);
}

/* A tool comes and goes, job control stops and continues it, before anybody restores the text: it still waits. */
static void disturbed(const char *program, enum park_kind kind)
{
	struct parked p;

	if (!park(&p, program, kind, kind))
		return;
	kill(p.s.pid, SIGSTOP);
	CHECK(reaches_state(p.s.pid, "T"));
	kill(p.s.pid, SIGCONT);
	CHECK(reaches_state(p.s.pid, "RS"));
	kill(p.s.pid, SIGWINCH);
	CHECK(is_silent(p.s.out, 20));
	attach(&p);
	CHECK(wait_stop(p.s.pid, SIGTRAP | PTRACE_EVENT_STOP << 8));
	ptrace(PTRACE_DETACH, p.s.pid, 0L, 0L);
	CHECK(is_silent(p.s.out, 20));
	CHECK_INT(tracer_of(p.s.pid), 0);
	/* It would be gone before its text could be looked at. */
	kill(p.s.pid, SIGSTOP);
	CHECK(reaches_state(p.s.pid, "T"));
	CHECK_INT(park_undo(&p.park), PARK_DONE);
	CHECK(reaches_state(p.s.pid, "T"));
	CHECK(text_is_as_before(&p));
	kill(p.s.pid, SIGCONT);
	runs(&p, OUTPUT);
}

/* Stopped by job control when it is released: it stays stopped, and runs when it is continued. */
static void released_while_stopped(const char *program)
{
	struct parked p;

	if (!park(&p, program, PARK_SLEEP, PARK_SLEEP))
		return;
	kill(p.s.pid, SIGSTOP);
	CHECK(reaches_state(p.s.pid, "T"));
	CHECK_INT(park_undo(&p.park), PARK_DONE);
	CHECK(reaches_state(p.s.pid, "T"));
	CHECK_INT(tracer_of(p.s.pid), 0);
	CHECK(is_silent(p.s.out, 20));
	kill(p.s.pid, SIGCONT);
	runs(&p, OUTPUT);
}

/* A signal that ends it does so, parked as it is. */
static void killed(const char *program, enum park_kind kind)
{
	struct parked p;

	if (!park(&p, program, kind, kind))
		return;
	kill(p.s.pid, kind == PARK_CALL ? SIGKILL : SIGTERM);
	CHECK_INT(end_of(p.s.pid), kind == PARK_CALL ? SIGKILL : SIGTERM);
	CHECK_INT(park_restore(&p.park), -ESRCH);
	CHECK(park_undo(&p.park) < 0);
	CHECK(park_write(&p.park) < 0);
	close(p.s.out);
}

/* The program that was parked has been replaced by another: its text must be left alone. */
static void replaced(const char *program, const char *other)
{
	struct parked p, q;

	if (!start(&p, program) || !start(&q, other))
		return;
	CHECK_INT(park_plan(&p.park, p.s.pid, &p.regs, PARK_LOOP), 0);
	p.park.tid = q.s.pid;
	CHECK_INT(park_restore(&p.park), -ESRCH);
	CHECK(text_is_as_before(&q));
	p.park.addr = 4096;
	CHECK_INT(park_restore(&p.park), -ESRCH);
	finish(p.s.pid);
	finish(q.s.pid);
	close(p.s.out);
	close(q.s.out);
}

/* Who parked it has died: while it was about to run into its stub (a stop keeps it there), or later. */
static void undone(const char *program, enum park_kind kind, bool early)
{
	struct parked p;

	if (!start(&p, program))
		return;
	CHECK_INT(park_plan(&p.park, p.s.pid, &p.regs, kind), 0);
	CHECK_INT(park_write(&p.park), 0);
	CHECK_INT(park_enter(&p.park), 0);
	if (early)
		CHECK_INT(tracee_detach(p.s.pid, SIGSTOP), 0);
	else
		let_go(&p, 0);
	if (early)
		CHECK(reaches_state(p.s.pid, "T"));
	else if (kind != PARK_LOOP)
		CHECK(reaches_state(p.s.pid, "S"));
	CHECK_INT(park_undo(&p.park), PARK_DONE);
	CHECK_INT(tracer_of(p.s.pid), 0);
	if (early) { /* else it may end meanwhile, and its end be taken for a stop */
		CHECK_INT(park_undo(&p.park), -ESRCH);
		CHECK(text_is_as_before(&p));
		kill(p.s.pid, SIGCONT);
	}
	runs(&p, OUTPUT);
}

/* How far an injected call has come when whoever makes it dies, and somebody else is to undo it. */
enum point { POINT_WRITTEN, POINT_ENTERED, POINT_CALLED };

static bool inject_until(struct parked *p, const char *program, enum point point)
{
	if (!start(p, program))
		return false;
	CHECK_INT(park_plan(&p->park, p->s.pid, &p->regs, PARK_INJECT), 0);
	CHECK_INT(p->park.addr, p->entry);
	park_set_call(&p->park, p->regs.arch->nr_prctl, (const uint64_t[]){9999, 1, 2, 3, 4}, 5);
	CHECK_INT(park_write(&p->park), 0);
	if (point >= POINT_ENTERED)
		CHECK_INT(park_enter(&p->park), 0);
	for (int stops = 0; stops < 2 && point == POINT_CALLED; stops++) {
		CHECK_INT(tracee_to_syscall(p->s.pid, 0), 0);
		CHECK(wait_stop(p->s.pid, SIGTRAP | 0x80));
	}
	return true;
}

/* A call of the thread's that it then does not know of. */
static void inject(struct parked *p, const char *program)
{
	struct regs regs;

	if (!inject_until(p, program, POINT_CALLED))
		return;
	CHECK_INT(tracee_regs(p->s.pid, &regs), 0);
	CHECK_INT((int32_t)arch_reg(regs.arch, regs.raw, REG_RET), -EINVAL);
	CHECK_INT(park_leave(&p->park), 0);
	CHECK(text_is_as_before(p));
	CHECK_INT(tracee_detach(p->s.pid, 0), 0);
}

/* The end of its tracer lets a thread run on from wherever it is: it must go nowhere until it is undone. */
static void inject_abandoned(const char *program)
{
	for (int point = POINT_WRITTEN; point <= POINT_CALLED; point++) {
		struct parked p;

		printf("# abandoned at point %d\n", point);
		if (!inject_until(&p, program, (enum point)point))
			return;
		CHECK_INT(tracee_detach(p.s.pid, 0), 0);
		CHECK(is_silent(p.s.out, 30));
		CHECK_INT(park_undo(&p.park), PARK_DONE);
		runs(&p, OUTPUT);
	}
}

/*
 * Undone while a tracer that is not us has it and lets it run: each ends in its program, whenever that is. Many times,
 * for a thread that sees half of a change would seldom do so.
 */
static void undone_under_tracer(const char *program, enum park_kind kind)
{
	for (int i = 0; i < 50; i++) {
		struct parked p;

		if (!park(&p, program, kind, kind))
			return;
		attach(&p);
		CHECK(wait_stop(p.s.pid, SIGTRAP | PTRACE_EVENT_STOP << 8));
		CHECK_INT(ptrace(PTRACE_CONT, p.s.pid, 0L, 0L), 0);
		CHECK(reaches_state(p.s.pid, "R"));
		CHECK_INT(park_undo(&p.park), PARK_AGAIN);
		(void)park_repeat(&p.park, true); /* the program's own bytes: nothing that it could see */
		runs(&p, OUTPUT);
	}
}

/* It was on its way to sleep when its bytes were restored, and sleeps now, under a tracer that does not stop it. */
static void undone_too_early(const char *program)
{
	struct parked p;
	int status = 0;

	if (!park(&p, program, PARK_SLEEP, PARK_SLEEP))
		return;
	CHECK_INT(ptrace(PTRACE_SEIZE, p.s.pid, 0L, 0L), 0);
	CHECK_INT(park_restore(&p.park), 0);
	CHECK(park_repeat(&p.park, false));
	for (int i = 0; i < 5000 && waitpid(p.s.pid, &status, WNOHANG | __WALL) <= 0; i++)
		usleep(1000);
	CHECK(WIFSTOPPED(status));
	CHECK_INT(tracee_detach(p.s.pid, 0), 0);
	runs(&p, OUTPUT);
	CHECK(!park_repeat(&p.park, true));
}

static void kind(const char *name, const char *flags)
{
	struct place program = place(name);

	if (!build_to_run(name, source, flags))
		return;
	for (int k = PARK_CALL; k <= PARK_LOOP; k++) {
		if (k == PARK_CALL && listener < 0)
			continue;
		printf("# %s, kind %d\n", name, k);
		released_to_tool(program.path, (enum park_kind)k, (enum park_kind)k, OUTPUT);
		released_without(program.path, (enum park_kind)k, OUTPUT);
		killed(program.path, (enum park_kind)k);
		undone(program.path, (enum park_kind)k, true);
		undone(program.path, (enum park_kind)k, false);
		if (k != PARK_CALL)
			disturbed(program.path, (enum park_kind)k);
	}
	released_while_stopped(program.path);
	inject_abandoned(program.path);
	undone_too_early(program.path);
	undone_under_tracer(program.path, PARK_LOOP);
	undone_under_tracer(program.path, PARK_SLEEP);
}

/* Where nothing is mapped before the entry point, every kind becomes a loop. */
static void nothing_before(const char *name, const char *flags)
{
	struct place program = place(name);

	if (!build_to_run(name, bare_source, flags))
		return;
	printf("# %s\n", name);
	released_to_tool(program.path, PARK_CALL, PARK_LOOP, "");
	released_to_tool(program.path, PARK_SLEEP, PARK_LOOP, "");
	released_without(program.path, PARK_LOOP, "");
}

/* What is mapped before the entry point is not always program text: a page that may only be read does for no stub. */
static void no_text_before(enum park_kind kind)
{
	struct place program = place("edge");
	struct parked p;

	printf("# edge, kind %d\n", (int)kind);
	if (!start(&p, program.path))
		return;
	CHECK_INT(park_plan(&p.park, p.s.pid, &p.regs, kind), 0);
	CHECK_INT(park_write(&p.park), 0);
	CHECK_INT(park_enter(&p.park), 0);
	let_go(&p, 0);
	if (p.park.kind == PARK_CALL)
		receive(&p);
	CHECK(reaches_state(p.s.pid, "RS"));
	CHECK(is_silent(p.s.out, 10));
	if (p.park.kind == PARK_CALL && p.notif) {
		CHECK_INT(park_restore(&p.park), 0);
		answer(p.notif);
	} else {
		CHECK_INT(park_undo(&p.park), PARK_DONE);
	}
	runs(&p, "");
}

static void first_registers(const char *program, enum park_kind kind, uint64_t *regs)
{
	struct parked p;

	memset(regs, 0xff, 128);
	if (kind == PARK_NONE) {
		if (start(&p, program))
			CHECK_INT(tracee_detach(p.s.pid, 0), 0);
	} else if (kind == PARK_INJECT) {
		inject(&p, program);
	} else if (park(&p, program, kind, kind)) {
		if (kind == PARK_CALL) {
			CHECK_INT(park_restore(&p.park), 0);
			answer(p.notif);
		} else {
			CHECK_INT(park_undo(&p.park), PARK_DONE);
		}
	}
	CHECK_INT(read(p.s.out, regs, 128), 128);
	CHECK_INT(end_of(p.s.pid), 9 << 8);
	close(p.s.out);
}

/* But for those that the instruction itself uses (rcx, r11) registers are those of a program that was not parked. */
static void registers(void)
{
	static const int kept[] = {0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15};
	uint64_t want[16], got[16];

	personality(ADDR_NO_RANDOMIZE);
	if (!build("regs", regs_source, "-nostdlib -static"))
		return;
	first_registers(place("regs").path, PARK_NONE, want);
	for (int k = PARK_CALL; k <= PARK_INJECT; k++) {
		if (k == PARK_CALL && listener < 0)
			continue;
		printf("# registers, kind %d\n", k);
		first_registers(place("regs").path, (enum park_kind)k, got);
		for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
			CHECK_INT(got[kept[i]], want[kept[i]]);
	}
}

int main(void)
{
	scratch_begin(120);
	listen_to_parks();
	kind("dynamic", "-no-pie");
	kind("pie", "-pie -fPIE");
	kind("static", "-static");
	kind("static-pie", "-static-pie");
	replaced(place("dynamic").path, place("static").path);
#ifdef __x86_64__
	kind("narrow", "-m32");
	kind("narrow-static", "-m32 -static");
	nothing_before("bare", "-nostdlib -static -Wl,-Ttext=0x10000000");
	nothing_before("narrow-bare", "-m32 -nostdlib -static -Wl,-Ttext=0x10000000");
	if (build("edge", bare_source, "-nostdlib -static")) {
		if (listener >= 0)
			no_text_before(PARK_CALL);
		no_text_before(PARK_SLEEP);
		no_text_before(PARK_LOOP);
	}
	registers();
#endif
	return TAP_DONE();
}
