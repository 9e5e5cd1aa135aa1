/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only door to ptrace(2). Every function returns 0 or -errno; -ESRCH (the thread died, or is not stopped) is an
 * ordinary result that callers pass up quietly: its end is reported by wait. The caller is the thread that seized.
 */
#ifndef EXECTRACE_TARGET_TRACEE_PTRACE_H
#define EXECTRACE_TARGET_TRACEE_PTRACE_H

#include <exectrace/target/arch/arch.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What a seized thread reports. */
enum seize_flags {
	SEIZE_EXEC =
		1 << 0, /* stop at PTRACE_EVENT_EXEC, and mark system-call stops with bit 7 (PTRACE_O_TRACESYSGOOD) */
	SEIZE_FORKS = 1 << 1,   /* follow fork, vfork and clone */
	SEIZE_SECCOMP = 1 << 2, /* stop at SECCOMP_RET_TRACE (PTRACE_EVENT_SECCOMP) */
	SEIZE_EXIT = 1 << 3,    /* stop before it ends (PTRACE_EVENT_EXIT), while it still has its memory */
};

/* What a thread at a system-call stop does (PTRACE_GET_SYSCALL_INFO, Linux 5.3). */
struct syscall_stop {
	enum { SYSCALL_STOP_NONE, SYSCALL_STOP_ENTRY, SYSCALL_STOP_EXIT, SYSCALL_STOP_SECCOMP } op;
	uint32_t audit; /* AUDIT_ARCH_* */
	uint64_t pc;
	uint64_t sp;
	uint64_t nr;      /* entry, seccomp */
	uint64_t args[6]; /* entry, seccomp */
	int64_t value;    /* exit */
	bool error;       /* exit: value is a negative errno */
};

/* PTRACE_SEIZE: attaches without stopping. flags: enum seize_flags. -EPERM when traced already or not allowed. */
int tracee_seize(pid_t tid, unsigned flags);

/* PTRACE_INTERRUPT: makes it stop (PTRACE_EVENT_STOP) when it next can. */
int tracee_interrupt(pid_t tid);

/* Lets a stopped thread run on with signal sig (0: none). */
int tracee_cont(pid_t tid, int sig);

/* Likewise, to stop at the next system-call entry or exit. */
int tracee_to_syscall(pid_t tid, int sig);

/* PTRACE_LISTEN: leaves a thread in its group-stop, as if untraced. */
int tracee_listen(pid_t tid);

/* Lets go. sig is delivered only from a signal-delivery-stop (ptrace(2)). */
int tracee_detach(pid_t tid, int sig);

/* The message of the event a thread is stopped at (the former tid at an exec, the new pid at a fork). */
int tracee_event_msg(pid_t tid, unsigned long *msg);

/* The signal a stopped thread is about to get: to be passed on when it is let go; 0 at any other stop. -errno. */
int tracee_pending_signal(pid_t tid);

/* What a thread stopped at a system call does; SYSCALL_STOP_NONE at another stop. */
int tracee_syscall(pid_t tid, struct syscall_stop *stop);

/* The siginfo of the signal a thread is stopped at: 128 bytes, laid out for this machine (sigaction(2)). */
int tracee_siginfo(pid_t tid, void *raw);

/* PTRACE_SETSIGINFO: another one for that signal, as long. */
int tracee_set_siginfo(pid_t tid, const void *raw);

/* Which signals a stopped thread blocks: bit N-1 is signal N. */
int tracee_sigmask(pid_t tid, uint64_t *mask);

/* Sets which signals a stopped thread blocks. */
int tracee_set_sigmask(pid_t tid, uint64_t mask);

struct sock_filter;

/*
 * The index-th seccomp filter of a stopped thread, as it was installed (PTRACE_SECCOMP_GET_FILTER); insns has room for
 * BPF_MAXINSNS. Its length, or -errno: -ENOENT behind the last, -EACCES without CAP_SYS_ADMIN or when the caller has a
 * filter itself.
 */
int tracee_filter(pid_t tid, unsigned index, struct sock_filter *insns);

/* Which calls Syscall User Dispatch catches: all but those from `bytes` bytes at `from`, while the byte at `selector`
 * in the thread's memory is 1. */
struct dispatch {
	uint64_t from, bytes, selector;
};

#define DISPATCH_SIGNAL_CODE 2 /* SYS_USER_DISPATCH: si_code of the SIGSYS that a caught call becomes */

/*
 * Sets Syscall User Dispatch for a stopped thread; NULL ends it (Linux 6.4, Documentation/admin-guide/
 * syscall-user-dispatch.rst): its calls become a SIGSYS before anything of them is done, with all registers as at the
 * instruction but the program counter, which is behind it. A child does not inherit it, and execve ends it. 0 or
 * -errno: -EIO before Linux 6.4.
 */
int tracee_dispatch(pid_t tid, const struct dispatch *dispatch);

/* Where the area of a stopped thread's restartable sequences is (rseq(2)), 0: it has none. -EIO before Linux 5.13. */
int tracee_rseq(pid_t tid, uint64_t *area);

/* Registers of a stopped thread. -ENOTSUP for a register block of unknown size. */
int tracee_regs(pid_t tid, struct regs *regs);

/* Likewise, cheaper when they are laid out as `arch` says (NULL: not known): x32 is then not told from x86-64. */
int tracee_regs_as(pid_t tid, const struct arch *arch, struct regs *regs);
int tracee_set_regs(pid_t tid, const struct regs *regs);

#endif
