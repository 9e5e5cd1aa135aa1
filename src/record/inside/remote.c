/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that a stopped thread makes for the tracer, in such a way that the tracer may be killed between any two
 * instructions of its own: the code of the call goes on by itself to where the thread was, with its registers and its
 * signals. That code is put where no program has any: behind the end of the vDSO's image (vdso(7)), up to the end of
 * its last page. The write makes a copy of the page for this program.
 */
#include "private.h"

#include <elf.h>
#include <errno.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/wait.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CODE_BYTES 256u
#define PAGE 4096u

struct code {
	unsigned char bytes[CODE_BYTES];
	size_t n;
};

static void put(struct code *code, const void *bytes, size_t n)
{
	memcpy(code->bytes + code->n, bytes, n);
	code->n += n;
}

static void put_load(struct code *code, const char *instruction, uint64_t value)
{
	put(code, instruction, 2);
	put(code, &value, sizeof(value));
}

/* The call, and the way back to `saved` with `mask` blocked. */
static void make_code(struct code *code, uint64_t at, const struct user_regs_struct *saved, uint64_t mask)
{
	const size_t data = CODE_BYTES - 2 * sizeof(uint64_t);
	int32_t jump;

	put(code, "\x0f\x05", 2);
	put(code, "\xb8\x0e\x00\x00\x00", 5); /* rt_sigprocmask(SIG_SETMASK, &mask, NULL, 8) */
	put(code, "\xbf\x02\x00\x00\x00", 5);
	put_load(code, "\x48\xbe", at + data);
	put(code, "\xba\x00\x00\x00\x00", 5);
	put(code, "\x41\xba\x08\x00\x00\x00", 6);
	put(code, "\x0f\x05", 2);
	put_load(code, "\x48\xb8", saved->rax);
	put_load(code, "\x48\xbf", saved->rdi);
	put_load(code, "\x48\xbe", saved->rsi);
	put_load(code, "\x48\xba", saved->rdx);
	put_load(code, "\x49\xba", saved->r10);
	put_load(code, "\x49\xb8", saved->r8);
	put_load(code, "\x49\xb9", saved->r9);
	put(code, "\xff\x25", 2); /* jmp *saved->rip */
	jump = (int32_t)(data + sizeof(mask) - code->n - sizeof(jump));
	put(code, &jump, sizeof(jump));
	memcpy(code->bytes + data, &mask, sizeof(mask));
	memcpy(code->bytes + data + sizeof(mask), &saved->rip, sizeof(saved->rip));
}

/* Where the code may be: behind the image of the vDSO. 0: nowhere. */
static uint64_t find_scratch(pid_t tid)
{
	uint64_t base = 0, end;
	unsigned char was[CODE_BYTES];
	Elf64_Ehdr header;

	if (proc_auxv(tid, AT_SYSINFO_EHDR, &base) || !base || mem_read(tid, base, &header, sizeof(header)))
		return 0;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof(Elf64_Shdr) ||
	    header.e_shoff > 16 * PAGE)
		return 0;
	end = (header.e_shoff + (uint64_t)header.e_shnum * sizeof(Elf64_Shdr) + 15) & ~UINT64_C(15);
	if (end % PAGE == 0 || PAGE - end % PAGE < CODE_BYTES || mem_read(tid, base + end, was, sizeof(was)))
		return 0;
	for (size_t i = 0; i < sizeof(was); i++) {
		if (was[i])
			return 0;
	}
	return base + end;
}

int remote_begin(struct remote *remote, struct inside_thread *thread)
{
	struct space *space = thread->space;
	struct code code = {.n = 0};
	int err = registers_get(thread->tid, &remote->saved);

	remote->thread = thread;
	remote->stopped = false;
	if (!space->scratch)
		space->scratch = find_scratch(thread->tid);
	if (!err && !space->scratch)
		err = -ENOTSUP;
	if (!err)
		err = tracee_sigmask(thread->tid, &remote->mask);
	if (err)
		return err;
	make_code(&code, space->scratch, &remote->saved, remote->mask);
	err = mem_poke(thread->tid, space->scratch, code.bytes, sizeof(code.bytes));
	if (!err && thread->on && !thread->stops)
		err = tracee_dispatch(thread->tid, NULL);
	return err;
}

/* Lets the thread run into the call and out of it. */
static int pass(struct remote *remote)
{
	pid_t tid = remote->thread->tid;
	struct wait_event ev;
	int err = 0;

	for (int stops = 0; stops < 2 && !err;) {
		err = tracee_to_syscall(tid, 0);
		if (!err)
			err = wait_for_stop(tid, &ev);
		if (!err && ev.kind == WAIT_SYSCALL)
			stops++;
		else if (!err && ev.kind == WAIT_SIGNAL) /* the only one that cannot be blocked */
			remote->stopped = true;
		else if (!err && ev.kind == WAIT_EVENT) { /* it was killed, and is to stop at its end */
			(void)tracee_cont(tid, 0);
			err = -ESRCH;
		}
	}
	return err;
}

int64_t remote_call(struct remote *remote, long nr, const uint64_t args[6])
{
	struct user_regs_struct regs = remote->saved;
	pid_t tid = remote->thread->tid;
	int err;

	regs.rip = remote->thread->space->scratch;
	regs.rax = (unsigned long)nr;
	regs.orig_rax = (unsigned long)-1;
	regs.rdi = args[0];
	regs.rsi = args[1];
	regs.rdx = args[2];
	regs.r10 = args[3];
	regs.r8 = args[4];
	regs.r9 = args[5];
	err = registers_set(tid, &regs);
	if (!err) /* a signal would be delivered before the call */
		err = tracee_set_sigmask(tid, ~UINT64_C(0));
	if (!err)
		err = pass(remote);
	if (!err)
		err = registers_get(tid, &regs);
	return err ? err : (int64_t)regs.rax;
}

int remote_end(struct remote *remote)
{
	struct inside_thread *thread = remote->thread;
	/* In this order: behind the call its code still has the mask of the call, and would put the thread's back. */
	int err = tracee_set_sigmask(thread->tid, remote->mask);

	if (!err)
		err = registers_set(thread->tid, &remote->saved);
	if (!err && thread->on && !thread->stops)
		err = thread_dispatch(thread, true);
	if (remote->stopped)
		(void)syscall(SYS_tkill, thread->tid, SIGSTOP);
	return err;
}
