/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/tracee/detour.h>

#include <errno.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/process/waiting.h>
#include <exectrace/target/tracee/wait.h>
#include <string.h>
#include <time.h>

#ifdef __x86_64__

#include "detour_image.h"
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#define USER_CODE 0x33u /* the segment of 64-bit programs (arch/x86/include/asm/segment.h) */
#define PAGE 4096u
#define STACK_MAX (8u << 20) /* bytes of a stack that are searched: what it may have by default (setrlimit(2)) */
#define STOPS 32             /* on the way: signals that are delivered first */

static struct user_regs_struct *raw(struct regs *regs)
{
	return (struct user_regs_struct *)(void *)regs->raw;
}

static const struct user_regs_struct *raw_const(const struct regs *regs)
{
	return (const struct user_regs_struct *)(const void *)regs->raw;
}

static int get(pid_t tid, struct regs *regs)
{
	int err = tracee_regs(tid, regs);

	if (!err && (!regs->arch || strcmp(regs->arch->name, "x86_64") != 0))
		err = -ENOTSUP;
	return err;
}

static bool is_inside(const struct detour *detour, uint64_t address)
{
	return address >= detour->at && address < detour->at + DETOUR_BYTES;
}

/* The frame of a signal has the address that its handler returns to (sigreturn(2)): the stack is read to its end. */
static bool seems_to_return(const struct detour *detour, pid_t tid, remote_addr_t sp)
{
	uint64_t words[PAGE / sizeof(uint64_t)];
	const remote_addr_t top = sp + STACK_MAX;

	sp &= ~(remote_addr_t)(sizeof(uint64_t) - 1);
	while (sp < top) {
		size_t n = PAGE - sp % PAGE;

		if (mem_read(tid, sp, words, n))
			return false;
		for (size_t i = 0; i < n / sizeof(words[0]); i++) {
			if (is_inside(detour, words[i]))
				return true;
		}
		sp += n;
	}
	return false;
}

int detour_has(const struct detour *detour, pid_t tid)
{
	struct regs regs;
	int err = get(tid, &regs);

	if (err)
		return err;
	return is_inside(detour, raw(&regs)->rip) || (detour->left && seems_to_return(detour, tid, raw(&regs)->rsp));
}

int detour_has_waiting(const struct detour *detour, pid_t tid)
{
	uint64_t sp, pc;
	int err = detour->left ? proc_waits_at(tid, &sp, &pc) : -ESRCH;

	if (err)
		return err == -ESRCH || err == -ENOENT ? 0 : err;
	return is_inside(detour, pc) || seems_to_return(detour, tid, sp);
}

/* A thread that stands in a call is in no sequence: that must not make any (rseq(2)). */
static bool may_be_in_sequence(pid_t tid, const struct user_regs_struct *regs)
{
	uint64_t area = 0, sequence = 0;
	int err;

	if ((int64_t)regs->orig_rax >= 0)
		return false;
	err = tracee_rseq(tid, &area);
	if (err || !area)
		return err && err != -EIO;                                       /* the latter: the kernel has none */
	return mem_read(tid, area + 8, &sequence, sizeof(sequence)) || sequence; /* struct rseq: rseq_cs */
}

int detour_ready(const struct detour *detour)
{
	struct regs regs;
	int err = get(detour->tid, &regs);

	if (err)
		return err;
	if (raw(&regs)->cs != USER_CODE)
		return -ENOTSUP;
	return may_be_in_sequence(detour->tid, raw(&regs)) ? -EAGAIN : 0;
}

void detour_describe(const struct detour *detour, const struct detour_call *call, struct seccomp_data *data)
{
	*data = (struct seccomp_data){
		.nr = (int)call->nr,
		.arch = arch_native()->audit,
		.instruction_pointer = detour->at + DETOUR_MADE_AT,
	};
	for (unsigned i = 0; i < 6; i++)
		data->args[i] = call->args[i];
}

/*
 * Its next stop. Nobody may give up before: the call may have been made by then. It only takes as long as the thread
 * does to be run, or ends.
 */
static int next_stop(pid_t tid, struct wait_event *ev)
{
	const struct timespec moment = {.tv_nsec = 50000};
	int n;

	while ((n = wait_peek_at(tid, ev)) == 0)
		nanosleep(&moment, NULL);
	return n < 0 || ev->kind == WAIT_EXIT ? -ESRCH : 0;
}

/* With the result and the number that it has: see detour_lay_out. */
static int send_in(const struct detour *detour, const struct regs *saved, const struct detour_call *call, size_t entry)
{
	struct regs regs = *saved;
	struct user_regs_struct *to = raw(&regs);

	to->rip = detour->at + entry;
	to->rdi = call->args[0];
	to->rsi = call->args[1];
	to->rdx = call->args[2];
	to->r10 = call->args[3];
	to->r8 = call->args[4];
	to->r9 = call->args[5];
	return tracee_set_regs(detour->tid, &regs);
}

/*
 * Lets the thread go to the end of the call. 0; -EAGAIN: a signal has come first, *ev; -ENOTSUP: it got one for the
 * call.
 */
static int pass(const struct detour *detour, struct wait_event *ev)
{
	const remote_addr_t behind = detour->at + DETOUR_MADE_AT;
	struct regs regs;
	int err = 0;

	for (int i = 0; i < STOPS; i++) {
		struct syscall_stop stop = {.op = SYSCALL_STOP_NONE};

		err = tracee_to_syscall(detour->tid, 0);
		if (!err)
			err = next_stop(detour->tid, ev);
		if (!err)
			err = get(detour->tid, &regs);
		if (!err && ev->kind == WAIT_SYSCALL)
			err = tracee_syscall(detour->tid, &stop);
		if (err || (stop.op == SYSCALL_STOP_EXIT && raw(&regs)->rip == behind))
			return err;
		if (ev->kind == WAIT_SIGNAL)
			return raw(&regs)->rip == behind ? -ENOTSUP : -EAGAIN;
	}
	return -ESRCH;
}

/* To a stop at which the kernel looks for an interrupted call behind it (arch_do_signal_or_restart, arch/x86). */
static int stop_again(pid_t tid, int sig)
{
	struct wait_event ev = {.kind = WAIT_SIGNAL, .sig = sig};
	int err = 0;

	for (int i = 0; i < STOPS && !err; i++) {
		err = tracee_interrupt(tid);
		if (!err)
			err = tracee_cont(tid, wait_signal(&ev));
		if (!err)
			err = next_stop(tid, &ev);
		if (!err && (ev.kind == WAIT_INTERRUPT || ev.kind == WAIT_GROUP_STOP))
			return 0;
	}
	return err ? err : -ESRCH;
}

/* From the thread as it was saved, in which nothing is changed yet. */
static int go(const struct detour *detour, const struct regs *saved, const struct detour_call *call,
              struct wait_event *ev)
{
	struct detour_image image;
	int err;

	detour_lay_out(&image, raw_const(saved), call);
	err = mem_poke(detour->tid, detour->at, image.bytes, image.n);
	if (!err)
		err = send_in(detour, saved, call, image.entry);
	return err ? err : pass(detour, ev);
}

/* One try. -EAGAIN: a signal came first, and was delivered. */
static int call_once(const struct detour *detour, struct detour_call *call)
{
	struct wait_event ev = {.kind = WAIT_INTERRUPT};
	struct regs saved, now;
	int err = get(detour->tid, &saved), end;

	if (!err)
		err = go(detour, &saved, call, &ev);
	if (!err)
		err = get(detour->tid, &now);
	if (err == -ESRCH)
		return err;
	if (!err)
		call->result = (int64_t)raw(&now)->rax;
	if (err == -EAGAIN) { /* it is to be delivered to the thread as it was */
		end = tracee_set_regs(detour->tid, &saved);
		if (!end)
			end = stop_again(detour->tid, wait_signal(&ev));
	} else {
		end = stop_again(detour->tid, 0);
		if (!end)
			end = tracee_set_regs(detour->tid, &saved);
	}
	return end ? end : err;
}

int detour_make(const struct detour *detour, struct detour_call *call)
{
	int err = call->n > DETOUR_DATA_MAX ? -E2BIG : -EAGAIN;

	for (int i = 0; i < STOPS && err == -EAGAIN; i++) {
		err = detour_ready(detour);
		if (!err)
			err = call_once(detour, call);
	}
	return err;
}

/* Those that fail with EINTR though no signal is handled: signal(7), "Interruption of system calls ... by stop
 * signals".
 */
static bool tells_of_stops(uint64_t nr)
{
	switch (nr) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_io_uring_enter:
		return true;
	default:
		return false;
	}
}

void detour_resume_call(pid_t tid)
{
	struct regs regs;

	if (get(tid, &regs) || (int64_t)raw(&regs)->rax != -EINTR || (int64_t)raw(&regs)->orig_rax < 0 ||
	    !tells_of_stops(raw(&regs)->orig_rax))
		return;
	raw(&regs)->rax = (uint64_t)-ERESTARTNOHAND;
	(void)tracee_set_regs(tid, &regs);
}

#else

int detour_has(const struct detour *detour, pid_t tid)
{
	(void)detour;
	(void)tid;
	return -ENOTSUP;
}

int detour_has_waiting(const struct detour *detour, pid_t tid)
{
	(void)detour;
	(void)tid;
	return -ENOTSUP;
}

int detour_ready(const struct detour *detour)
{
	(void)detour;
	return -ENOTSUP;
}

void detour_describe(const struct detour *detour, const struct detour_call *call, struct seccomp_data *data)
{
	(void)detour;
	(void)call;
	memset(data, 0, sizeof(*data));
}

int detour_make(const struct detour *detour, struct detour_call *call)
{
	(void)detour;
	(void)call;
	return -ENOTSUP;
}

void detour_resume_call(pid_t tid)
{
	(void)tid;
}

#endif
