/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching while a program is executed: the attempt ends in time, and one after that succeeds. */
#include "src/record/seccomp/seize_attempt.h"
#include "tap.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/tracee/ptrace.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 500 /* attempts */

static void *sleep_on(void *told)
{
	pid_t tid = gettid();

	(void)!write(*(int *)told, &tid, sizeof(tid));
	for (;;)
		pause();
	return NULL;
}

/* Executes when it is told, with a thread that must end for it. */
static void victim(int go, int told)
{
	pthread_t id;
	char byte = 0;

	if (pthread_create(&id, NULL, sleep_on, &told) || read(go, &byte, 1) != 1)
		_exit(1);
	execl("/bin/sleep", "sleep", "100", (char *)NULL);
	_exit(2);
}

/* Attaches to the sibling so that its end waits for us, and with it the execve, which nobody may interrupt. */
static void hold(pid_t sibling)
{
	int status = 0;

	CHECK(ptrace(PTRACE_SEIZE, sibling, 0L, (long)PTRACE_O_TRACEEXIT) == 0);
	CHECK(ptrace(PTRACE_INTERRUPT, sibling, 0L, 0L) == 0);
	CHECK_INT(waitpid(sibling, &status, __WALL), sibling);
	CHECK(ptrace(PTRACE_CONT, sibling, 0L, 0L) == 0);
}

int main(void)
{
	static struct seize_attempt attempt;
	int go[2], told[2], status = 0, err = -ETIMEDOUT;
	pid_t pid, sibling = 0;
	uint64_t start;

	CHECK(pipe(go) == 0 && pipe(told) == 0);
	pid = fork();
	if (pid == 0)
		victim(go[0], told[1]);
	CHECK(read(told[0], &sibling, sizeof(sibling)) == sizeof(sibling));
	hold(sibling);
	CHECK_INT(seize_attempt_prepare(&attempt), 0);
	CHECK_INT(seize_attempt_seize(&attempt, 1 << 30, 0, NS_PER_MS), -ESRCH);
	CHECK(write(go[1], "", 1) == 1);
	CHECK_INT(waitpid(sibling, &status, __WALL), sibling);
	CHECK_INT(status >> 8, SIGTRAP | PTRACE_EVENT_EXIT << 8);
	for (int i = 0; i < 3; i++) {
		start = clock_now();
		CHECK_INT(seize_attempt_seize(&attempt, pid, 0, 5 * NS_PER_MS), -ETIMEDOUT);
		CHECK(clock_now() - start >= 5 * NS_PER_MS);
	}
	/* A signal of another origin is none of its business. */
	CHECK(kill(getpid(), SIGALRM) == 0);
	CHECK(ptrace(PTRACE_CONT, sibling, 0L, 0L) == 0);
	CHECK_INT(waitpid(sibling, &status, __WALL), sibling);
	for (int i = 0; i < PATIENCE && err == -ETIMEDOUT; i++)
		err = seize_attempt_seize(&attempt, pid, 0, 20 * NS_PER_MS);
	CHECK_INT(err, 0);
	CHECK(kill(pid, SIGKILL) == 0);
	CHECK_INT(waitpid(pid, &status, __WALL), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	return TAP_DONE();
}
