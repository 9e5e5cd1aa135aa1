/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each kind of change, made by a real child, and what wait(2)'s own macros say of it. */
#include "program.h"
#include "tap.h"
#include <exectrace/target/tracee/wait.h>
#include <sys/syscall.h>

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

/* The next change, waited for 5 s at most; kind -1 when there is none. */
static struct wait_event next(void)
{
	struct wait_event ev = {.kind = (enum wait_kind) - 1};

	for (int i = 0; i < 2500; i++) {
		int n = wait_next(&ev);

		if (n == 1)
			return ev;
		if (n < 0)
			break;
		nap(2);
	}
	ev.kind = (enum wait_kind) - 1;
	return ev;
}

static void nothing(void)
{
	struct wait_event ev;
	pid_t pid;

	CHECK_INT(wait_next(&ev), -ECHILD);
	CHECK_INT(wait_for(-1, &ev), -ECHILD);
	CHECK_INT(wait_for(1, &ev), -ECHILD);
	CHECK(!wait_has(1));
	CHECK(!wait_has(getpid()));
	pid = idle_child();
	CHECK_INT(wait_next(&ev), 0);
	CHECK(wait_has(pid));
	finish(pid);
	CHECK(!wait_has(pid));
	CHECK_INT(wait_next(&ev), -ECHILD);
}

static void ends(void)
{
	struct wait_event ev;
	pid_t pid = child();

	if (pid == 0)
		_exit(3);
	CHECK(reaches_state(pid, "Z"));
	CHECK(wait_has(pid));
	ev = next();
	CHECK_INT(ev.kind, WAIT_EXIT);
	CHECK_INT(ev.pid, pid);
	CHECK(WIFEXITED(ev.status) && WEXITSTATUS(ev.status) == 3);
	CHECK(!wait_has(pid));
	pid = idle_child();
	kill(pid, SIGTERM);
	CHECK_INT(wait_for(pid, &ev), 0);
	CHECK_INT(ev.kind, WAIT_EXIT);
	CHECK(WIFSIGNALED(ev.status) && WTERMSIG(ev.status) == SIGTERM);
	CHECK_INT(wait_for(pid, &ev), -ECHILD);
}

/* Stops and continues of a child that nobody traces. */
static void job_control(void)
{
	struct wait_event ev;
	pid_t pid = idle_child();

	kill(pid, SIGSTOP);
	ev = next();
	CHECK_INT(ev.kind, WAIT_SIGNAL);
	CHECK_INT(ev.sig, SIGSTOP);
	CHECK(ev.pid == pid && WIFSTOPPED(ev.status));
	kill(pid, SIGCONT);
	CHECK(wait_has(pid));
	CHECK_INT(wait_next(&ev), 0); /* that is left to the parent, which a tracer may not be */
	finish(pid);
}

static long seize(pid_t pid)
{
	return ptrace(PTRACE_SEIZE, pid, 0L,
	              (long)(PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACESYSGOOD));
}

/* A stop is fetched, an end is left to who waits for all. */
static void stops_only(void)
{
	struct wait_event ev;
	pid_t pid = idle_child();

	CHECK_INT(seize(pid), 0);
	ptrace(PTRACE_INTERRUPT, pid, 0L, 0L);
	CHECK_INT(wait_for_stop(pid, &ev), 0);
	CHECK_INT(ev.kind, WAIT_INTERRUPT);
	CHECK_INT(ev.event, PTRACE_EVENT_STOP);
	kill(pid, SIGKILL);
	CHECK_INT(wait_for_stop(pid, &ev), -ESRCH);
	CHECK(reaches_state(pid, "Z"));
	CHECK_INT(wait_next(&ev), 1);
	CHECK(ev.kind == WAIT_EXIT && ev.pid == pid && WTERMSIG(ev.status) == SIGKILL);
	CHECK_INT(wait_for_stop(pid, &ev), -ECHILD);
}

/* Stops of a tracee. */
static void tracee(void)
{
	struct wait_event ev;
	pid_t pid = idle_child();

	CHECK_INT(seize(pid), 0);
	ptrace(PTRACE_INTERRUPT, pid, 0L, 0L);
	CHECK_INT(wait_for(pid, &ev), 0);
	CHECK_INT(ev.kind, WAIT_INTERRUPT);
	CHECK_INT(ev.event, PTRACE_EVENT_STOP);
	ptrace(PTRACE_CONT, pid, 0L, 0L);
	kill(pid, SIGUSR1);
	CHECK_INT(wait_for(pid, &ev), 0);
	CHECK_INT(ev.kind, WAIT_SIGNAL);
	CHECK_INT(ev.sig, SIGUSR1);
	CHECK_INT(ev.event, 0);
	/* A signal that is SIGTRAP is not an interrupt. */
	ptrace(PTRACE_CONT, pid, 0L, 0L);
	kill(pid, SIGTRAP);
	CHECK_INT(wait_for(pid, &ev), 0);
	CHECK_INT(ev.kind, WAIT_SIGNAL);
	CHECK_INT(ev.sig, SIGTRAP);
	ptrace(PTRACE_SYSCALL, pid, 0L, 0L);
	CHECK_INT(wait_for(pid, &ev), 0);
	CHECK_INT(ev.kind, WAIT_SYSCALL);
	CHECK(wait_has(pid));
	finish(pid);
}

/* The stop signal is seen first as a signal, then as the stop of the whole group. */
static void group_stop(void)
{
	struct wait_event ev;
	pid_t pid = idle_child();

	CHECK_INT(seize(pid), 0);
	kill(pid, SIGSTOP);
	CHECK_INT(wait_for(pid, &ev), 0);
	CHECK_INT(ev.kind, WAIT_SIGNAL);
	ptrace(PTRACE_CONT, pid, 0L, (long)SIGSTOP);
	CHECK_INT(wait_for(pid, &ev), 0);
	CHECK_INT(ev.kind, WAIT_GROUP_STOP);
	CHECK_INT(ev.sig, SIGSTOP);
	finish(pid);
}

/* A fork seen by its parent's event and by the first stop of the new process, which is a tracee and no child. */
static void forks(void)
{
	struct wait_event ev;
	unsigned long born = 0;
	bool parent = false, first = false, grandchild = false;
	pid_t pid = child();

	if (pid == 0) {
		nap(20);
		if (fork() == 0)
			pause();
		pause();
	}
	CHECK_INT(seize(pid), 0);
	for (int i = 0; i < 2 && !(parent && first); i++) {
		ev = next();
		if (ev.kind == WAIT_EVENT && ev.pid == pid && ev.event == PTRACE_EVENT_FORK)
			parent = ptrace(PTRACE_GETEVENTMSG, pid, 0L, &born) == 0;
		else if (ev.kind == WAIT_INTERRUPT && ev.pid != pid)
			first = true, grandchild = wait_has(ev.pid);
	}
	CHECK(parent);
	CHECK(first);
	CHECK(grandchild);
	if (born > 1) {
		kill((pid_t)born, SIGKILL);
		CHECK_INT(wait_for((pid_t)born, &ev), 0);
		CHECK_INT(ev.kind, WAIT_EXIT);
	}
	finish(pid);
}

static void exec_event(void)
{
	char *argv[] = {(char *)"/bin/true", NULL}, *envp[] = {NULL};
	struct wait_event ev = wait_decode(7, (SIGTRAP | PTRACE_EVENT_EXEC << 8) << 8 | 0x7f);
	struct stopped s = start_at_exec(argv, envp);

	CHECK_INT(ev.kind, WAIT_EVENT);
	CHECK_INT(ev.event, PTRACE_EVENT_EXEC);
	CHECK_INT(ev.pid, 7);
	ptrace(PTRACE_CONT, s.pid, 0L, 0L);
	CHECK_INT(wait_for(s.pid, &ev), 0);
	CHECK_INT(ev.kind, WAIT_EXIT);
	CHECK_INT(ev.status, 0);
	close(s.out);
}

static void nothing_done(int sig)
{
	(void)sig;
}

/* A signal handler in the waiting process does not end the wait. */
static void interrupted(void)
{
	struct sigaction quick = {.sa_handler = nothing_done};
	struct wait_event ev;
	pid_t self = getpid(), pid, sender;

	sigaction(SIGUSR2, &quick, NULL);
	pid = child();
	if (pid == 0) {
		nap(120);
		_exit(9);
	}
	sender = child();
	if (sender == 0) {
		for (int i = 0; i < 5; i++) {
			nap(10);
			kill(self, SIGUSR2);
		}
		_exit(0);
	}
	CHECK_INT(wait_for(pid, &ev), 0);
	CHECK(ev.kind == WAIT_EXIT && WEXITSTATUS(ev.status) == 9);
	CHECK_INT(end_of(sender), 0);
}

int main(void)
{
	scratch_begin(60);
	nothing();
	ends();
	job_control();
	stops_only();
	tracee();
	group_stop();
	forks();
	exec_event();
	interrupted();
	return TAP_DONE();
}
