/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "told.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/record/calls/told.h>
#include <exectrace/target/tracee/ptrace.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOOK_NS (100 * NS_PER_US) /* that a thread may have to wait at most */

/* Blocked, they stay until they are waited for: none can be missed. */
static void wake_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	sigaddset(set, SIGIO);
}

static int reply(const struct told *told, uint64_t number, enum told_kind kind)
{
	const struct told_reply message = {.number = number, .kind = kind};

	return send(told->fd, &message, sizeof(message), MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int told_begin(struct told *told)
{
	const struct sigaction chld = {.sa_handler = SIG_DFL};
	sigset_t set;
	int err = 0;

	wake_signals(&set);
	if (sigaction(SIGCHLD, &chld, NULL) || sigprocmask(SIG_BLOCK, &set, NULL) ||
	    fcntl(told->fd, F_SETOWN, getpid()) || fcntl(told->fd, F_SETFL, O_ASYNC | O_NONBLOCK))
		return -errno;
	err = reply(told, 0, TOLD_BEGIN);
	told->on = !err;
	return err;
}

void told_off(struct told *told)
{
	if (told->on)
		(void)reply(told, 0, TOLD_OFF);
	told->on = false;
}

void told_ended(struct told *told, pid_t pid, int status)
{
	const struct told_reply message = {.number = (uint64_t)pid, .kind = TOLD_ENDED, .status = status};

	if (told->fd)
		(void)send(told->fd, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void told_end(struct told *told)
{
	if (told->fd)
		close(told->fd);
	*told = (struct told){0};
}

int told_wait(struct wait_event *ev)
{
	sigset_t set;
	int sig = 0;

	wake_signals(&set);
	for (;;) {
		int got = wait_next(ev);

		if (got)
			return got < 0 ? got : 0;
		sig = sigwaitinfo(&set, NULL);
		if (sig < 0)
			return -errno;
		if (sig == SIGIO)
			return -EAGAIN;
	}
}

/* Its entry was seen, or will be: then the call goes on. */
static enum told_kind answer(struct threads *threads, pid_t tid)
{
	struct thread *thread = threads_find(threads, tid);
	const struct syscall_call *call = thread ? &thread->call : NULL;

	if (!thread || thread->hidden || thread->exec_due)
		return TOLD_GO_ON;
	if (thread->in_call && call->arch && arch_is_exec(call->arch, call->nr))
		return TOLD_GO_ON;
	if (tracee_interrupt(tid))
		return TOLD_GO_ON;
	thread->exec_due = true;
	return TOLD_AGAIN;
}

int told_hear(struct told *told, struct threads *threads, bool busy)
{
	struct told_exec exec;
	uint64_t now = clock_now();
	ssize_t got = 0;

	if (busy && now - told->last < LOOK_NS)
		return 0;
	told->last = now;
	while ((got = recv(told->fd, &exec, sizeof(exec), 0)) == (ssize_t)sizeof(exec)) {
		if (reply(told, exec.number, answer(threads, exec.tid)))
			break;
	}
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	told_end(told);
	return -EPIPE;
}
