/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/seccomp/exec_handshake.h>

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/record/calls/exec_handshake.h>
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

static int reply(const struct exec_handshake *handshake, uint64_t number, enum handshake_kind kind)
{
	const struct handshake_reply message = {.number = number, .kind = kind};

	return send(handshake->fd, &message, sizeof(message), MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int handshake_begin(struct exec_handshake *handshake)
{
	const struct sigaction chld = {.sa_handler = SIG_DFL};
	sigset_t set;
	int err = 0;

	wake_signals(&set);
	if (sigaction(SIGCHLD, &chld, NULL) || sigprocmask(SIG_BLOCK, &set, NULL) ||
	    fcntl(handshake->fd, F_SETOWN, getpid()) || fcntl(handshake->fd, F_SETFL, O_ASYNC | O_NONBLOCK))
		return -errno;
	err = reply(handshake, 0, HANDSHAKE_BEGIN);
	handshake->on = !err;
	return err;
}

void handshake_off(struct exec_handshake *handshake)
{
	if (handshake->on)
		(void)reply(handshake, 0, HANDSHAKE_OFF);
	handshake->on = false;
}

void handshake_ended(struct exec_handshake *handshake, pid_t pid, int status)
{
	const struct handshake_reply message = {.number = (uint64_t)pid, .kind = HANDSHAKE_ENDED, .status = status};

	if (handshake->fd)
		(void)send(handshake->fd, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void handshake_end(struct exec_handshake *handshake)
{
	if (handshake->fd)
		close(handshake->fd);
	*handshake = (struct exec_handshake){0};
}

int handshake_wait(struct wait_event *ev)
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
static enum handshake_kind answer(struct threads *threads, pid_t tid)
{
	struct thread *thread = threads_find(threads, tid);
	const struct syscall_call *call = thread ? &thread->call : NULL;

	if (!thread || thread->hidden || thread->exec_due)
		return HANDSHAKE_GO_ON;
	if (thread->in_call && call->arch && arch_is_exec(call->arch, call->nr))
		return HANDSHAKE_GO_ON;
	if (tracee_interrupt(tid))
		return HANDSHAKE_GO_ON;
	thread->exec_due = true;
	return HANDSHAKE_AGAIN;
}

int handshake_hear(struct exec_handshake *handshake, struct threads *threads, bool busy)
{
	struct handshake_exec exec;
	uint64_t now = clock_now();
	ssize_t got = 0;

	if (busy && now - handshake->last < LOOK_NS)
		return 0;
	handshake->last = now;
	while ((got = recv(handshake->fd, &exec, sizeof(exec), 0)) == (ssize_t)sizeof(exec)) {
		if (reply(handshake, exec.number, answer(threads, exec.tid)))
			break;
	}
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	handshake_end(handshake);
	return -EPIPE;
}
