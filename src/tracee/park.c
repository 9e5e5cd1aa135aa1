/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/tracee/park.h>

#include <errno.h>
#include <exectrace/tracee/mem.h>
#include <exectrace/tracee/wait.h>
#include <string.h>

#define PAGE 4096u /* the smallest of any architecture */

static void lay_out(struct park *park, const struct arch *arch, remote_addr_t entry)
{
	park->addr = park->kind == PARK_LOOP ? entry : entry - arch->insn_len;
	park->len = 0;
	if (park->kind != PARK_LOOP) {
		memcpy(park->stub, arch->syscall_insn, arch->insn_len);
		park->len = arch->insn_len;
	}
	if (park->kind != PARK_CALL) {
		memcpy(park->stub + park->len, arch->loop_insn, arch->loop_len);
		park->len = (uint8_t)(park->len + arch->loop_len);
	}
}

int park_plan(struct park *park, pid_t tid, const struct regs *regs, enum park_kind kind)
{
	remote_addr_t entry = arch_reg(regs->arch, regs->raw, REG_PC);
	int err = 0;

	*park = (struct park){.tid = tid, .kind = kind};
	lay_out(park, regs->arch, entry);
	/* What is mapped on another page need not be text. */
	err = (park->addr ^ entry) / PAGE ? -EFAULT : mem_read(tid, park->addr, park->old, park->len);
	if (err != -EFAULT || kind == PARK_LOOP)
		return err;
	park->kind = PARK_LOOP;
	lay_out(park, regs->arch, entry);
	return mem_read(tid, park->addr, park->old, park->len);
}

int park_write(const struct park *park)
{
	return mem_poke(park->tid, park->addr, park->stub, park->len);
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

int park_enter(const struct park *park, struct regs *regs)
{
	const struct arch *arch = regs->arch;

	if (park->kind == PARK_CALL) {
		arch_set_reg(arch, regs->raw, REG_NR, arch->nr_park);
	} else if (park->kind == PARK_SLEEP) {
		arch_set_reg(arch, regs->raw, REG_NR, arch->nr_sigtimedwait);
		arch_set_reg(arch, regs->raw, REG_ARG0, zero_word(park->tid, regs));
		arch_set_reg(arch, regs->raw, REG_ARG1, 0);
		arch_set_reg(arch, regs->raw, REG_ARG2, 0);
		arch_set_reg(arch, regs->raw, REG_ARG3, 8);
	}
	arch_set_reg(arch, regs->raw, REG_ORIG_NR, (uint64_t)-1);
	arch_set_reg(arch, regs->raw, REG_PC, park->addr);
	return tracee_set_regs(park->tid, regs);
}

int park_restore(const struct park *park)
{
	uint8_t now[PARK_BYTES_MAX];
	int err = mem_read(park->tid, park->addr, now, park->len);

	if (err)
		return err == -EFAULT ? -ESRCH : err;
	if (memcmp(now, park->stub, park->len) != 0)
		return -ESRCH;
	return mem_poke(park->tid, park->addr, park->old, park->len);
}

/* Attached, and stopped. *ev may be its end. 0 or -errno. */
static int stop(pid_t tid, struct wait_event *ev)
{
	int err = tracee_seize(tid, 0);

	if (!err)
		err = tracee_interrupt(tid);
	return err ? err : wait_for(tid, ev);
}

static int let_go(pid_t tid, const struct wait_event *ev)
{
	return ev->kind == WAIT_EXIT ? -ESRCH : tracee_detach(tid, wait_signal(ev));
}

int park_kick(pid_t tid)
{
	struct wait_event ev;
	int err = stop(tid, &ev);

	return !err && ev.kind != WAIT_EXIT ? let_go(tid, &ev) : err;
}

/* A call that was not made yet, or is about to be made again, would be made of the old bytes. */
static int leave_stub(const struct park *park)
{
	struct regs regs;
	const struct arch *arch = NULL;
	uint64_t entry = 0;
	uint64_t pc = 0;
	int err = tracee_regs(park->tid, &regs);

	if (err)
		return err;
	arch = regs.arch;
	entry = park->kind == PARK_LOOP ? park->addr : park->addr + arch->insn_len;
	pc = arch_reg(arch, regs.raw, REG_PC);
	if (pc < park->addr || pc > entry)
		return 0;
	arch_set_reg(arch, regs.raw, REG_ORIG_NR, (uint64_t)-1);
	arch_set_reg(arch, regs.raw, REG_RET, 0);
	arch_set_reg(arch, regs.raw, REG_PC, entry);
	return tracee_set_regs(park->tid, &regs);
}

int park_undo(const struct park *park)
{
	struct wait_event ev;
	int err = stop(park->tid, &ev);
	int last = 0;

	if (err == -EPERM)
		return park_restore(park);
	if (!err && ev.kind != WAIT_EXIT)
		err = leave_stub(park);
	if (!err && ev.kind != WAIT_EXIT)
		err = park_restore(park);
	last = let_go(park->tid, &ev);
	return err ? err : last;
}
