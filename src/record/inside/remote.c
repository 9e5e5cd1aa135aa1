/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that a stopped thread makes for the tracer, in such a way that the tracer may be killed between any two
 * instructions of its own: the code of the calls goes on by itself to where the thread was, with its registers and its
 * signals. That code is put where no program has any: behind the end of the vDSO's image (vdso(7)), up to the end of
 * its last page. The write makes a copy of the page for this program.
 *
 * A thread that is resumed up to its next system call stops twice at each. So the calls are made in a row, and at the
 * end the thread sends itself a signal that it ignores unless a tracer is there: that is one stop. A program that has
 * handlers for all of these signals makes them one at a time.
 */
#include "private.h"

#include "code.h"
#include <elf.h>
#include <errno.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/process/mem.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/wait.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME_BYTES 16u
#define TRAP UINT64_C(0x100) /* of the flags: a trap behind each instruction */
#define LEAST_BYTES 256u     /* what is there in any case, and one call */
#define CALL_BYTES 96u       /* of each further one, at most */

/* A name; the tail (where the last call has been made, and from there to where the thread was); the calls. */
struct row {
	struct code code;
	size_t begin; /* where the thread begins */
	size_t stop;  /* where it stops at last */
};

static void put_load(struct code *code, const char *instruction, uint64_t value)
{
	code_put(code, instruction, 2);
	code_put(code, &value, sizeof(value));
}

/* To the tail. */
static void put_jump(struct code *code, const char *instruction, size_t n)
{
	code_put(code, instruction, n);
	code_put_word(code, NAME_BYTES - (uint64_t)(code->n + 4));
}

/* tgkill(getpid(), gettid(), sig): numbers are those of the thread's own namespace. */
static void put_signal(struct row *row, int sig)
{
	struct code *code = &row->code;

	code_put(code, "\xb8\x27\x00\x00\x00\x0f\x05\x89\xc7", 9);
	code_put(code, "\xb8\xba\x00\x00\x00\x0f\x05\x89\xc6", 9);
	code_put(code, "\xba", 1);
	code_put_word(code, (uint64_t)sig);
	code_put(code, "\xb8\xea\x00\x00\x00\x0f\x05", 7);
	row->stop = code->n;
}

/* The way back to `saved` with `mask` blocked. */
static void put_tail(struct code *code, const struct remote *remote)
{
	const struct user_regs_struct *saved = &remote->saved;
	const uint64_t at = remote->thread->space->scratch;
	const uint64_t flags = saved->eflags & ~TRAP;
	uint64_t data;

	data = code->n + 152;
	/* The calls have changed the flags. They are popped from here, for below the stack there may be something. */
	put_load(code, "\x48\xbc", at + data + sizeof(remote->mask) + sizeof(saved->rip));
	code_put(code, "\x9d", 1);
	put_load(code, "\x48\xbc", saved->rsp);
	code_put(code, "\xb8\x0e\x00\x00\x00", 5); /* rt_sigprocmask(SIG_SETMASK, &mask, NULL, 8) */
	code_put(code, "\xbf\x02\x00\x00\x00", 5);
	put_load(code, "\x48\xbe", at + data);
	code_put(code, "\xba\x00\x00\x00\x00", 5);
	code_put(code, "\x41\xba\x08\x00\x00\x00", 6);
	code_put(code, "\x0f\x05", 2);
	put_load(code, "\x48\xb8", saved->rax);
	put_load(code, "\x48\xbf", saved->rdi);
	put_load(code, "\x48\xbe", saved->rsi);
	put_load(code, "\x48\xba", saved->rdx);
	put_load(code, "\x49\xba", saved->r10);
	put_load(code, "\x49\xb8", saved->r8);
	put_load(code, "\x49\xb9", saved->r9);
	put_load(code, "\x48\xbb", saved->rbx);
	put_load(code, "\x49\xbc", saved->r12);
	code_put(code, "\xff\x25", 2); /* jmp *saved->rip */
	code_put_word(code, data + sizeof(remote->mask) - code->n - 4);
	memset(code->bytes + code->n, 0xcc, data - code->n);
	code->n = data;
	code_put(code, &remote->mask, sizeof(remote->mask));
	code_put(code, &saved->rip, sizeof(saved->rip));
	code_put(code, &flags, sizeof(flags));
}

/* The arguments and the number; those of the first call the tracer sets. */
static void put_arguments(struct code *code, const struct remote_op *op)
{
	static const char *const load[] = {"\x48\xbf", "\x48\xbe", "\x48\xba", "\x49\xba", "\x49\xb8", "\x49\xb9"};
	static const char *const kept[] = {"\x4c\x89\xe7", "\x4c\x89\xe6", "\x4c\x89\xe2",
	                                   "\x4d\x89\xe2", "\x4d\x89\xe0", "\x4d\x89\xe1"}; /* mov %r12, ... */

	for (unsigned i = 0; i < 6; i++) {
		if (op->kept == i + 1)
			code_put(code, kept[i], 3);
		else
			put_load(code, load[i], op->args[i]);
	}
	code_put(code, "\xb8", 1);
	code_put_word(code, (uint64_t)op->nr);
}

static void put_call(struct row *row, const struct remote *remote, const struct remote_op *op)
{
	struct code *code = &row->code;

	if (!row->begin)
		row->begin = code->n;
	else
		put_arguments(code, op);
	code_put(code, "\x0f\x05", 2);
	if (!remote->sig)
		row->stop = code->n;
	if (op->may_fail)
		return;
	code_put(code, "\x48\x89\xc3", 3);             /* mov %rax, %rbx */
	code_put(code, "\x48\x3d\x01\xf0\xff\xff", 6); /* cmp $-4095, %rax; jae */
	put_jump(code, "\x0f\x83", 2);
	if (op->keep)
		code_put(code, "\x49\x89\xc4", 3); /* mov %rax, %r12 */
}

/* How many of the calls there was room for. */
static size_t make_row(struct row *row, const struct remote *remote, const struct remote_op *ops, size_t n)
{
	struct code *code = &row->code;
	size_t room = remote->thread->space->scratch_bytes;
	size_t i = 0;

	if (room > CODE_BYTES)
		room = CODE_BYTES;
	if (!remote->sig)
		n = 1;
	code_put(code, INSIDE_NAME, sizeof(INSIDE_NAME));
	code->n = NAME_BYTES;
	if (remote->sig)
		put_signal(row, remote->sig);
	put_tail(code, remote);
	for (; i < n && (i == 0 || code->n + CALL_BYTES <= room); i++)
		put_call(row, remote, &ops[i]);
	put_jump(code, "\xe9", 1);
	return i;
}

/* Where the code may be: behind the image of the vDSO. False: nowhere. */
static bool find_scratch(struct space *space, pid_t tid)
{
	uint64_t base = 0, end, room;
	unsigned char was[PAGE];
	Elf64_Ehdr header;

	if (proc_auxv(tid, AT_SYSINFO_EHDR, &base) || !base || mem_read(tid, base, &header, sizeof(header)))
		return false;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof(Elf64_Shdr) ||
	    header.e_shoff > 16 * PAGE)
		return false;
	end = (header.e_shoff + (uint64_t)header.e_shnum * sizeof(Elf64_Shdr) + 15) & ~UINT64_C(15);
	room = PAGE - end % PAGE;
	if (room == PAGE || room < LEAST_BYTES || mem_read(tid, base + end, was, room))
		return false;
	for (size_t i = 0; i < room; i++) {
		if (was[i])
			return false;
	}
	space->scratch = base + end;
	space->scratch_bytes = room;
	return true;
}

const struct proc_status *remote_status(struct remote *remote)
{
	if (!remote->status.tgid && proc_status(remote->thread->tid, &remote->status))
		remote->status.tgid = 0;
	return remote->status.tgid ? &remote->status : NULL;
}

/*
 * One that is not blocked, not pending, and that does nothing where it has no handler. Calls of a program whose agent
 * was given up go one at a time: a filter of its own may not let it send signals.
 */
static int free_signal(struct remote *remote)
{
	static const int without_effect[] = {SIGURG, SIGWINCH, SIGCHLD};

	if (!remote->thread->inside->may_signal || remote->thread->space->given_up)
		return 0;
	for (size_t i = 0; i < sizeof(without_effect) / sizeof(without_effect[0]); i++) {
		uint64_t bit = UINT64_C(1) << (without_effect[i] - 1);
		const struct proc_status *status = remote->mask & bit ? NULL : remote_status(remote);

		if (status && !((status->signals.caught | status->signals.pending) & bit))
			return without_effect[i];
	}
	return 0;
}

void remote_prepare(struct inside *inside)
{
	struct proc_status own;

	inside->may_signal = syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0) == 0;
	inside->filters = proc_status(getpid(), &own) ? 0 : own.filters;
}

int remote_begin(struct remote *remote, struct inside_thread *thread)
{
	struct space *space = thread->space;
	int err = registers_get(thread->tid, &remote->saved);

	remote->thread = thread;
	remote->stopped = false;
	remote->missed = false;
	remote->kept = -1;
	remote->status.tgid = 0;
	if (!err && !space->scratch && !find_scratch(space, thread->tid))
		err = -ENOTSUP;
	if (!err)
		err = tracee_sigmask(thread->tid, &remote->mask);
	if (!err)
		remote->sig = free_signal(remote);
	if (!err && thread->on && !thread->stops)
		err = tracee_dispatch(thread->tid, NULL);
	return err;
}

/* Whether the thread is where it stops at last; regs are its registers then. */
static int is_there(const struct remote *remote, const struct wait_event *ev, uint64_t stop,
                    struct user_regs_struct *regs)
{
	pid_t tid = remote->thread->tid;
	struct syscall_stop call = {.op = SYSCALL_STOP_EXIT};
	int err = registers_get(tid, regs);

	if (!err && regs->rip == stop && ev->kind == WAIT_SYSCALL)
		err = tracee_syscall(tid, &call);
	return err ? err : regs->rip == stop && call.op == SYSCALL_STOP_EXIT;
}

/* Lets the thread run through the calls. */
static int pass(struct remote *remote, uint64_t stop, struct user_regs_struct *regs)
{
	const bool single = !remote->sig;
	pid_t tid = remote->thread->tid;
	struct wait_event ev;
	int got = 0;

	while (got == 0) {
		int err = single ? tracee_to_syscall(tid, 0) : tracee_cont(tid, 0);

		if (!err)
			err = wait_for_stop(tid, &ev);
		if (err)
			return err;
		if (ev.kind == WAIT_SYSCALL || (ev.kind == WAIT_SIGNAL && !single && ev.sig == remote->sig))
			got = is_there(remote, &ev, stop, regs);
		if (got == 0 && ev.kind == WAIT_SIGNAL) { /* SIGSTOP, which cannot be blocked, or one more of ours */
			remote->stopped |= ev.sig == SIGSTOP;
			remote->missed |= ev.sig != SIGSTOP && tracee_siginfo(tid, remote->info) == 0;
		}
	}
	return got < 0 ? got : 0;
}

/* The first of the calls, with those behind it for which there is room: *made. */
static int64_t run(struct remote *remote, const struct remote_op *ops, size_t n, size_t *made)
{
	const struct remote_op *first = ops;
	struct user_regs_struct regs = remote->saved;
	struct row row = {.begin = 0};
	pid_t tid = remote->thread->tid;
	uint64_t args[6], at = remote->thread->space->scratch;
	int err;

	*made = make_row(&row, remote, ops, n);
	memcpy(args, first->args, sizeof(args));
	if (first->kept)
		args[first->kept - 1] = (uint64_t)remote->kept;
	regs.rip = at + row.begin;
	regs.rax = (unsigned long)first->nr;
	regs.orig_rax = (unsigned long)-1;
	regs.rdi = args[0];
	regs.rsi = args[1];
	regs.rdx = args[2];
	regs.r10 = args[3];
	regs.r8 = args[4];
	regs.r9 = args[5];
	regs.r12 = (uint64_t)remote->kept;
	regs.rbx = 0;
	err = space_poke(remote->thread, at, row.code.bytes, row.code.n);
	if (!err)
		err = registers_set(tid, &regs);
	if (!err) /* a signal would be delivered before the calls */
		err = tracee_set_sigmask(tid, remote->sig ? ~(UINT64_C(1) << (remote->sig - 1)) : ~UINT64_C(0));
	if (!err)
		err = pass(remote, at + row.stop, &regs);
	if (err == -ESRCH) /* what has its number now may be stopped, too */
		remote->thread->tid = 0;
	if (err)
		return err;
	if (remote->sig)
		remote->kept = (int64_t)regs.r12;
	else if (first->keep && !is_errno((int64_t)regs.rax))
		remote->kept = (int64_t)regs.rax;
	return remote->sig ? (int64_t)regs.rbx : first->may_fail ? 0 : (int64_t)regs.rax;
}

int64_t remote_calls(struct remote *remote, const struct remote_op *ops, size_t n)
{
	int64_t got = 0;
	size_t made;

	for (size_t i = 0; i < n && !is_errno(got); i += made)
		got = run(remote, ops + i, n - i, &made);
	return got;
}

int64_t remote_call(struct remote *remote, long nr, const uint64_t args[6])
{
	struct remote_op op = {.nr = nr};

	memcpy(op.args, args, sizeof(op.args));
	return remote_calls(remote, &op, 1);
}

int remote_end(struct remote *remote)
{
	struct inside_thread *thread = remote->thread;
	/* In this order: behind the calls their code still has their mask, and would put the thread's back. */
	int err = tracee_set_sigmask(thread->tid, remote->mask);

	if (!err)
		err = registers_set(thread->tid, &remote->saved);
	if (!err && thread->on && !thread->stops)
		err = thread_dispatch(thread, true);
	if (remote->stopped)
		(void)syscall(SYS_tkill, thread->tid, SIGSTOP);
	if (remote->missed)
		resent_add(thread, remote->sig, remote->info);
	return err;
}
