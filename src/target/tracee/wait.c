/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/tracee/wait.h>

#include <errno.h>
#include <exectrace/target/process/procfs.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

#define SYSCALL_STOP (SIGTRAP | 0x80)
#define TRIES 4
#define YIELDS 200   /* looks for a stop that is to come at once, ... */
#define NAP_NS 50000 /* ... and then one each so many ns */

struct wait_event wait_decode(pid_t pid, int status)
{
	struct wait_event ev = {.kind = WAIT_EXIT, .pid = pid, .status = status};

	if (!WIFSTOPPED(status))
		return ev;
	ev.sig = WSTOPSIG(status);
	ev.event = status >> 16;
	if (ev.event == PTRACE_EVENT_STOP)
		ev.kind = ev.sig == SIGTRAP ? WAIT_INTERRUPT : WAIT_GROUP_STOP;
	else if (ev.event)
		ev.kind = WAIT_EVENT;
	else
		ev.kind = ev.sig == SYSCALL_STOP ? WAIT_SYSCALL : WAIT_SIGNAL;
	return ev;
}

/* A change is announced once (SIGCHLD): who gave up then would not look again. */
static int try_wait(pid_t pid, struct wait_event *ev, struct rusage *used)
{
	int status = 0;
	pid_t got = -1;

	errno = 0;
	for (int i = 0; i < TRIES && got < 0 && errno != ECHILD; i++)
		got = wait4(pid, &status, __WALL | WNOHANG | WUNTRACED, used);

	if (got < 0)
		return -errno;
	if (got == 0)
		return 0;
	*ev = wait_decode(got, status);
	return 1;
}

int wait_try(pid_t pid, struct wait_event *ev)
{
	return try_wait(pid, ev, NULL);
}

int wait_next(struct wait_event *ev)
{
	return try_wait(-1, ev, NULL);
}

int wait_next_used(struct wait_event *ev, struct rusage *used)
{
	return try_wait(-1, ev, used);
}

size_t wait_more(struct wait_event *batch, size_t n, size_t max)
{
	while (n < max && wait_next(&batch[n]) > 0)
		n++;
	return n;
}

int wait_any(struct wait_event *ev)
{
	int status = 0;
	pid_t pid = waitpid(-1, &status, __WALL);

	if (pid < 0)
		return -errno;
	*ev = wait_decode(pid, status);
	return 0;
}

/* A signal that is about to be delivered, not a system call or an event. */
static bool is_signal(const siginfo_t *info)
{
	return (info->si_code == CLD_TRAPPED || info->si_code == CLD_STOPPED) && info->si_status > 0 &&
	       info->si_status < SYSCALL_STOP;
}

static int peek(idtype_t type, pid_t pid, struct wait_event *ev, int sleep)
{
	siginfo_t info = {0};

	if (waitid(type, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL | sleep))
		return -errno;
	if (!info.si_pid)
		return 0;
	if (!is_signal(&info))
		return try_wait(info.si_pid, ev, NULL);
	*ev = wait_decode(info.si_pid, info.si_status << 8 | 0x7f);
	return 1;
}

int wait_peek(struct wait_event *ev, bool sleep)
{
	return peek(P_ALL, 0, ev, sleep ? 0 : WNOHANG);
}

int wait_peek_at(pid_t tid, struct wait_event *ev)
{
	return peek(P_PID, tid, ev, WNOHANG);
}

int wait_for(pid_t pid, struct wait_event *ev)
{
	int status = 0;
	pid_t got = 0;

	do
		got = waitpid(pid, &status, __WALL);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	*ev = wait_decode(got, status);
	return 0;
}

static bool is_end(const siginfo_t *info)
{
	return info->si_code == CLD_EXITED || info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED;
}

/* Fetches a stop and nothing else: 1, 0 when there is none, -errno. */
static int fetch_stop(pid_t pid, struct wait_event *ev)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG | __WALL))
		return -errno;
	if (!info.si_pid)
		return 0;
	*ev = wait_decode(pid, info.si_status << 8 | 0x7f);
	return 1;
}

/*
 * Lets some time pass before a thread is looked at again. False: it has ended, and is not told of: the first thread of
 * a process is not before all others were waited for (delay_group_leader in kernel/exit.c).
 */
static bool may_look_again(pid_t tid, unsigned times)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};
	struct proc_status status;

	if (times < YIELDS) {
		sched_yield();
		return true;
	}
	if (proc_status(tid, &status) || proc_status_ended(&status))
		return false;
	nanosleep(&nap, NULL);
	return true;
}

int wait_for_traced(pid_t pid, struct wait_event *ev)
{
	for (unsigned times = 0;; times++) {
		int n = try_wait(pid, ev, NULL);

		if (n)
			return n < 0 ? n : 0;
		if (!may_look_again(pid, times))
			return try_wait(pid, ev, NULL) > 0 ? 0 : -ESRCH;
	}
}

int wait_for_stop(pid_t pid, struct wait_event *ev)
{
	for (unsigned times = 0;; times++) {
		siginfo_t info = {0};
		int n = 0;

		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT | WNOHANG | __WALL)) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (!info.si_pid) {
			if (!may_look_again(pid, times))
				return -ESRCH;
			continue;
		}
		if (is_end(&info) || wait_decode(pid, info.si_status << 8 | 0x7f).kind == WAIT_EVENT)
			return -ESRCH;
		n = fetch_stop(pid, ev);
		if (n) /* else it has been killed meanwhile */
			return n < 0 ? n : 0;
	}
}

int wait_until_changed(pid_t pid)
{
	siginfo_t info;

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL) ? -errno : 0;
}

bool wait_has(pid_t pid)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) == 0;
}
