/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/tracee/ptrace.h>

#include <elf.h>
#include <errno.h>
#include <exectrace/target/process/procfs.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#define TRIES 4

static int door(int request, pid_t tid, unsigned long addr, unsigned long data)
{
	return ptrace((enum __ptrace_request)request, tid, addr, data) < 0 ? -errno : 0;
}

/*
 * Of a stopped thread of ours, which nobody else can let go: a failure that is none of the kernel's own (ptrace(2),
 * Errors) may be a filter's, or of the moment.
 */
static int surely(int request, pid_t tid, unsigned long addr, unsigned long data)
{
	int err = -EAGAIN;

	for (int i = 0; i < TRIES && err && err != -ESRCH && err != -EIO && err != -EINVAL; i++)
		err = door(request, tid, addr, data);
	return err;
}

int tracee_seize(pid_t tid, unsigned flags)
{
	unsigned long options = 0;

	if (flags & SEIZE_EXEC)
		options |= PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;
	if (flags & SEIZE_FORKS)
		options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	if (flags & SEIZE_SECCOMP)
		options |= PTRACE_O_TRACESECCOMP;
	if (flags & SEIZE_EXIT)
		options |= PTRACE_O_TRACEEXIT;
	return door(PTRACE_SEIZE, tid, 0, options);
}

int tracee_interrupt(pid_t tid)
{
	return door(PTRACE_INTERRUPT, tid, 0, 0);
}

int tracee_cont(pid_t tid, int sig)
{
	return surely(PTRACE_CONT, tid, 0, (unsigned long)sig);
}

int tracee_to_syscall(pid_t tid, int sig)
{
	return surely(PTRACE_SYSCALL, tid, 0, (unsigned long)sig);
}

int tracee_listen(pid_t tid)
{
	return surely(PTRACE_LISTEN, tid, 0, 0);
}

int tracee_detach(pid_t tid, int sig)
{
	return surely(PTRACE_DETACH, tid, 0, (unsigned long)sig);
}

int tracee_event_msg(pid_t tid, unsigned long *msg)
{
	return door(PTRACE_GETEVENTMSG, tid, 0, (unsigned long)msg);
}

int tracee_pending_signal(pid_t tid)
{
	siginfo_t info;
	int err = door(PTRACE_GETSIGINFO, tid, 0, (unsigned long)&info);

	if (err)
		return err == -EINVAL ? 0 : err; /* EINVAL: a group-stop */
	/* At an event si_code holds a signal and the event's number (ptrace(2)); a signal's own codes have one byte. */
	return info.si_code > 0xff && (info.si_code & 0xff) == info.si_signo ? 0 : info.si_signo;
}

int tracee_syscall(pid_t tid, struct syscall_stop *stop)
{
	struct __ptrace_syscall_info info;
	long n = ptrace((enum __ptrace_request)PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info);

	if (n < 0)
		return -errno;
	stop->audit = info.arch;
	stop->pc = info.instruction_pointer;
	stop->sp = info.stack_pointer;
	switch (info.op) {
	case PTRACE_SYSCALL_INFO_ENTRY:
	case PTRACE_SYSCALL_INFO_SECCOMP:
		/* The two begin alike. */
		stop->op = info.op == PTRACE_SYSCALL_INFO_ENTRY ? SYSCALL_STOP_ENTRY : SYSCALL_STOP_SECCOMP;
		stop->nr = info.entry.nr;
		for (int i = 0; i < 6; i++)
			stop->args[i] = info.entry.args[i];
		break;
	case PTRACE_SYSCALL_INFO_EXIT:
		stop->op = SYSCALL_STOP_EXIT;
		stop->value = info.exit.rval;
		stop->error = info.exit.is_error;
		break;
	default:
		stop->op = SYSCALL_STOP_NONE;
	}
	return 0;
}

int tracee_siginfo(pid_t tid, void *raw)
{
	return door(PTRACE_GETSIGINFO, tid, 0, (unsigned long)raw);
}

int tracee_set_siginfo(pid_t tid, const void *raw)
{
	return door(PTRACE_SETSIGINFO, tid, 0, (unsigned long)raw);
}

int tracee_set_sigmask(pid_t tid, uint64_t mask)
{
	return door(PTRACE_SETSIGMASK, tid, sizeof(mask), (unsigned long)&mask);
}

int tracee_sigmask(pid_t tid, uint64_t *mask)
{
	return door(PTRACE_GETSIGMASK, tid, sizeof(*mask), (unsigned long)mask);
}

int tracee_filter(pid_t tid, unsigned index, struct sock_filter *insns)
{
	long n = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, (unsigned long)index, insns);

	return n < 0 ? -errno : (int)n;
}

/* Of the tables whose block has this size, the one whose pointers are as wide as the program's ELF class says. */
static const struct arch *arch_by_size(pid_t tid, size_t size)
{
	const struct arch *found = NULL;
	unsigned word = 0;

	for (size_t i = 0; arch_at(i); i++) {
		if (arch_at(i)->regs_size != size)
			continue;
		if (!found) {
			found = arch_at(i);
			continue;
		}
		if (!word)
			word = proc_word_size(tid);
		if (arch_at(i)->word == word)
			found = arch_at(i);
	}
	return found;
}

int tracee_regs_as(pid_t tid, const struct arch *arch, struct regs *regs)
{
	struct iovec block = {regs->raw, sizeof(regs->raw)};
	int err = surely(PTRACE_GETREGSET, tid, NT_PRSTATUS, (unsigned long)&block);

	if (err)
		return err;
	regs->arch = arch && arch->regs_size == block.iov_len ? arch : arch_by_size(tid, block.iov_len);
	return regs->arch ? 0 : -ENOTSUP;
}

int tracee_regs(pid_t tid, struct regs *regs)
{
	return tracee_regs_as(tid, NULL, regs);
}

int tracee_set_regs(pid_t tid, const struct regs *regs)
{
	struct iovec block = {(void *)regs->raw, regs->arch->regs_size};

	return surely(PTRACE_SETREGSET, tid, NT_PRSTATUS, (unsigned long)&block);
}

#define SET_DISPATCH 0x4210 /* PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG: not in the headers of older systems */

int tracee_dispatch(pid_t tid, const struct dispatch *dispatch)
{
	struct {
		uint64_t mode, selector, from, bytes; /* struct ptrace_sud_config */
	} config = {0};

	if (dispatch) {
		config.mode = 1;
		config.selector = dispatch->selector;
		config.from = dispatch->from;
		config.bytes = dispatch->bytes;
	}
	return door(SET_DISPATCH, tid, sizeof(config), (unsigned long)&config);
}

#define GET_RSEQ 0x420f /* PTRACE_GET_RSEQ_CONFIGURATION */

int tracee_rseq(pid_t tid, uint64_t *area)
{
	struct {
		uint64_t area;
		uint32_t size, signature, flags, pad;
	} rseq = {0};
	long n = ptrace((enum __ptrace_request)GET_RSEQ, tid, sizeof(rseq), &rseq);

	*area = rseq.area;
	return n < 0 ? -errno : 0;
}
