/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/tracee/park.h>

#include <errno.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/process/waiting.h>
#include <exectrace/target/tracee/wait.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096u /* the smallest of any architecture */
#define WORD 8u    /* bytes that are written at once when they are aligned */
#define TRIES 4    /* the thread cannot begin before it has its bytes again */

remote_addr_t park_entry(const struct park *park)
{
	return arch_reg(park->regs.arch, park->regs.raw, REG_PC);
}

static void add(struct park *park, const uint8_t *insn, uint8_t len)
{
	memcpy(park->stub + park->len, insn, len);
	park->len = (uint8_t)(park->len + len);
}

static void lay_out(struct park *park, enum park_kind kind)
{
	const struct arch *arch = park->regs.arch;
	bool before = kind == PARK_CALL || kind == PARK_SLEEP;

	park->kind = kind;
	park->addr = park_entry(park) - (before ? arch->insn_len : 0);
	park->len = 0;
	if (!before)
		add(park, arch->loop_insn, arch->loop_len);
	if (kind != PARK_LOOP)
		add(park, arch->syscall_insn, arch->insn_len);
	park->pc = kind == PARK_LOOP ? 0 : park->addr + park->len;
	if (kind == PARK_SLEEP || kind == PARK_INJECT)
		add(park, arch->loop_insn, arch->loop_len);
}

/* What is mapped on another page need not be text; and a write to two pages may come to an end in between. */
static int read_old(struct park *park)
{
	remote_addr_t entry = park_entry(park);

	if (park->addr / PAGE != entry / PAGE || (park->addr + park->len - 1) / PAGE != entry / PAGE)
		return -EFAULT;
	return mem_read(park->tid, park->addr, park->old, park->len);
}

/* Eight zero bytes in the new program: the pair that ends its auxiliary vector is above, argv's NULL at worst is
 * nearer. */
static remote_addr_t zero_word(pid_t tid, const struct regs *regs)
{
	remote_addr_t sp = arch_reg(regs->arch, regs->raw, REG_SP);

	for (unsigned i = 0; i < 1u << 16; i++, sp += regs->arch->word) {
		uint64_t word = 1;

		if (mem_read(tid, sp, &word, sizeof(word)))
			break;
		if (word == 0)
			return sp;
	}
	return 0;
}

int park_plan(struct park *park, pid_t tid, const struct regs *regs, enum park_kind kind)
{
	int err = 0;

	*park = (struct park){.tid = tid, .regs = *regs};
	arch_set_reg(regs->arch, park->regs.raw, REG_ORIG_NR, (uint64_t)-1);
	lay_out(park, kind);
	err = read_old(park);
	if (err == -EFAULT && (kind == PARK_CALL || kind == PARK_SLEEP)) {
		lay_out(park, PARK_LOOP);
		err = read_old(park);
	}
	park->nr = regs->arch->nr_execve;
	if (park->kind == PARK_SLEEP) {
		park->nr = regs->arch->nr_sigtimedwait;
		park->args[0] = zero_word(tid, regs);
		park->args[3] = 8;
	}
	return err;
}

void park_set_call(struct park *park, uint32_t nr, const uint64_t *args, unsigned n)
{
	park->nr = nr;
	for (unsigned i = 0; i < 6; i++)
		park->args[i] = i < n ? args[i] : 0;
}

void park_call(const struct park *park, struct seccomp_data *call)
{
	*call = (struct seccomp_data){
		.nr = (int)park->nr,
		.arch = park->regs.arch->audit,
		.instruction_pointer = park->pc,
	};
	for (unsigned i = 0; i < 6; i++)
		call->args[i] = park->regs.arch->reg_width == 4 ? (uint32_t)park->args[i] : park->args[i];
}

int park_write(const struct park *park)
{
	return mem_poke(park->tid, park->addr, park->stub, park->len);
}

int park_enter(const struct park *park)
{
	const struct arch *arch = park->regs.arch;
	struct regs regs = park->regs;

	if (park->kind != PARK_LOOP) {
		arch_set_reg(arch, regs.raw, REG_PC, park->pc - arch->insn_len);
		arch_set_reg(arch, regs.raw, REG_NR, park->nr);
		for (unsigned i = 0; i < 6; i++)
			arch_set_reg(arch, regs.raw, (enum reg)(REG_ARG0 + (int)i), park->args[i]);
	}
	return tracee_set_regs(park->tid, &regs);
}

/* Whether these bytes lie where the stub does, or did. 0; -ESRCH when not, or the thread is gone; another -errno. */
static int lies_there(const struct park *park, const uint8_t *bytes)
{
	uint8_t now[PARK_BYTES_MAX];
	int err = mem_read(park->tid, park->addr, now, park->len);

	if (err)
		return err == -EFAULT ? -ESRCH : err;
	return memcmp(now, bytes, park->len) == 0 ? 0 : -ESRCH;
}

static int find_stub(const struct park *park)
{
	return lies_there(park, park->stub);
}

int park_restore(const struct park *park)
{
	int err = find_stub(park);

	return err ? err : mem_poke(park->tid, park->addr, park->old, park->len);
}

/* In words: the kernel copies each at once, and both instructions are the program's or both ours. 0 or -errno. */
static int write_at_once(const struct park *park)
{
	uint8_t bytes[PARK_BYTES_MAX + 2 * WORD];
	remote_addr_t from = park->addr / WORD * WORD;
	size_t n = (size_t)((park->addr + park->len + WORD - 1) / WORD * WORD - from);
	int err = mem_read(park->tid, from, bytes, n);

	if (err)
		return err;
	memcpy(bytes + (park->addr - from), park->old, park->len);
	return mem_poke(park->tid, from, bytes, n);
}

/* The processor that a thread runs on, or ran on last; -1: that is of no use. */
static int processor_of(pid_t tid)
{
	struct proc_stat stat;

	return proc_stat(tid, &stat) || stat.cpu >= CPU_SETSIZE ? -1 : stat.cpu;
}

/* Goes to the processor that a thread runs on. False: it is not that one any more, where we have waited for our turn.
 */
static bool go_to(pid_t tid)
{
	int cpu = processor_of(tid);
	cpu_set_t there;

	if (cpu < 0)
		return false;
	CPU_ZERO(&there);
	CPU_SET(cpu, &there);
	return !sched_setaffinity(0, sizeof(there), &there) && processor_of(tid) == cpu;
}

/*
 * While we are on the processor that a thread runs on it does not run, so it is not reading an instruction. (One that
 * has just run is not moved to another at once: task_hot, kernel/sched/fair.c.) One with real-time priority would not
 * let us run there. False: we stay where we are.
 */
static bool go_beside(pid_t tid, cpu_set_t *before)
{
	int policy = sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK;

	if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE)
		return false;
	if (sched_getaffinity(0, sizeof(*before), before))
		return false;
	for (int i = 0; i < TRIES && !go_to(tid); i++) {
	}
	return true;
}

/* The failure of a moment must not leave us there. */
static void go_back(const cpu_set_t *before)
{
	int err = -1;

	for (int i = 0; i < TRIES && err; i++)
		err = sched_setaffinity(0, sizeof(*before), before);
}

static int restore_running(const struct park *park)
{
	cpu_set_t before;
	bool moved = false;
	int err = find_stub(park);

	if (err)
		return err;
	moved = go_beside(park->tid, &before);
	err = write_at_once(park);
	if (moved)
		go_back(&before);
	return err ? err : PARK_AGAIN;
}

/* True when the thread sleeps in the call of PARK_SLEEP, and not in one of the program. */
static bool is_asleep(const struct park *park)
{
	uint64_t pc = 0;
	long nr = -1;

	return park->kind == PARK_SLEEP && proc_syscall(park->tid, &nr, &pc) == 0 && pc == park->pc;
}

bool park_repeat(const struct park *park, bool write)
{
	struct proc_status status;

	if (proc_status(park->tid, &status) || status.tracer <= 0 || lies_there(park, park->old))
		return false;
	if (status.signals.state == 'S' && is_asleep(park)) {
		park_wake(park);
		return true;
	}
	return status.signals.state == 'R' && (!write || write_at_once(park) == 0);
}

/* Somebody else traces it. Asleep it would stay so, were the tracer to end before we are told again. */
static int restore_traced(const struct park *park)
{
	struct proc_status status;
	int err = proc_status(park->tid, &status);

	if (err)
		return -ESRCH;
	if (status.signals.state == 'R')
		return restore_running(park);
	if (park->kind == PARK_SLEEP && status.signals.state == 'S' && find_stub(park) == 0)
		return -EBUSY;
	err = park_restore(park);
	return err ? err : PARK_AGAIN; /* its tracer may have let it run meanwhile */
}

bool park_sleeps(const struct park *park)
{
	struct proc_status status;

	return park->kind == PARK_SLEEP && proc_status(park->tid, &status) == 0 && status.signals.state == 'S';
}

void park_wake(const struct park *park)
{
	(void)syscall(SYS_tkill, park->tid, SIGCONT);
}

int park_leave(const struct park *park)
{
	int err = -EAGAIN;

	for (int i = 0; i < TRIES && err && err != -ESRCH; i++)
		err = park_restore(park);
	return err ? err : tracee_set_regs(park->tid, &park->regs);
}

/*
 * What the call has changed, and not what somebody who was attached may have: he saw the thread at its entry point. A
 * call that was not made yet, or is about to be made again, would be made of the old bytes.
 */
static int leave_stub(const struct park *park)
{
	const struct arch *arch = park->regs.arch;
	struct regs regs;
	uint64_t pc = 0;
	int err = tracee_regs_as(park->tid, arch, &regs);

	if (err)
		return err;
	pc = arch_reg(arch, regs.raw, REG_PC);
	if (pc < park->addr || pc > park->addr + park->len)
		return 0;
	if (park->kind == PARK_INJECT)
		return tracee_set_regs(park->tid, &park->regs);
	if (park->kind == PARK_LOOP)
		return 0;
	arch_set_reg(arch, regs.raw, REG_ORIG_NR, (uint64_t)-1);
	arch_set_reg(arch, regs.raw, REG_PC, park_entry(park));
	for (enum reg reg = REG_RET; reg <= REG_ARG5; reg++)
		arch_set_reg(arch, regs.raw, reg, arch_reg(arch, park->regs.raw, reg));
	return tracee_set_regs(park->tid, &regs);
}

/* It has stopped, or ended. */
static int undo(const struct park *park, const struct wait_event *ev)
{
	int err = ev->kind == WAIT_EXIT ? -ESRCH : find_stub(park);
	int last = 0;

	if (!err)
		err = leave_stub(park);
	if (!err)
		err = park_restore(park);
	if (ev->kind == WAIT_EXIT)
		return err;
	last = tracee_detach(park->tid, wait_signal(ev));
	return err ? err : last;
}

/* 0; -EPERM: somebody else traces it; another -errno. */
static int attach(pid_t tid)
{
	int err = -EPERM;

	for (int i = 0; i < TRIES && err == -EPERM; i++) {
		err = tracee_seize(tid, 0);
		if (err == -EPERM && proc_tracer(tid) > 0)
			return err;
	}
	return err == -EPERM ? -EACCES : err;
}

int park_undo_begin(const struct park *park)
{
	int err = attach(park->tid);

	if (err == -EPERM)
		return restore_traced(park);
	return err ? err : tracee_interrupt(park->tid);
}

int park_undo_look(const struct park *park)
{
	struct wait_event ev;
	int n = wait_try(park->tid, &ev);

	if (n <= 0)
		return n;
	n = undo(park, &ev);
	return n ? n : PARK_DONE;
}

int park_undo(const struct park *park)
{
	struct wait_event ev;
	int err = park_undo_begin(park);

	if (err)
		return err;
	err = wait_for_stop(park->tid, &ev);
	if (!err)
		err = undo(park, &ev);
	return err ? err : PARK_DONE;
}
