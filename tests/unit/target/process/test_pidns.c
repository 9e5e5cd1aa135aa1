/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of processes of another namespace, of one in that, and what there is none of. */
#include "tap.h"
#include <exectrace/target/process/pidns.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static struct pidns ns;

static pid_t start(void)
{
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	return pid;
}

/* The second process of a namespace leads a process group and a session there; tells its number here by its parent. */
static void be_first(int out)
{
	pid_t second = start();

	if (second == 0) {
		setsid();
		prctl(PR_SET_NAME, "second<>", 0, 0, 0);
		if (write(out, "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	pause();
	_exit(0);
}

static pid_t child_of(pid_t pid)
{
	char path[64], text[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(path, "r");
	if (!file || !fgets(text, sizeof(text), file))
		text[0] = '\0';
	if (file)
		fclose(file);
	return (pid_t)strtol(text, NULL, 10);
}

static void inner(void)
{
	char byte, comm[PROC_COMM_MAX];
	int pipefd[2];
	pid_t maker = 0, first = 0, second = 0;

	CHECK_INT(pipe(pipefd), 0);
	maker = start();
	if (maker == 0) {
		close(pipefd[0]);
		if (unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWPID : CLONE_NEWPID))
			_exit(77);
		if (start() == 0)
			be_first(pipefd[1]);
		close(pipefd[1]);
		pause();
		_exit(0);
	}
	close(pipefd[1]);
	if (read(pipefd[0], &byte, 1) != 1) {
		printf("# there are no pid namespaces\n");
	} else {
		first = child_of(maker);
		second = child_of(first);
		CHECK(first > 0 && second > 0);
		for (int i = 0; i < 2; i++) { /* found, and remembered */
			CHECK_INT(pidns_find(&ns, second, PIDNS_TGID, 1), first);
			CHECK_INT(pidns_find(&ns, first, PIDNS_TGID, 2), second);
			CHECK_INT(pidns_find(&ns, first, PIDNS_TID, 2), second);
			CHECK_INT(pidns_find(&ns, first, PIDNS_PGID, 2), second);
			CHECK_INT(pidns_find(&ns, first, PIDNS_SID, 2), second);
			CHECK_INT(pidns_find(&ns, first, PIDNS_TGID, 3), 0);
		}
		CHECK_INT(proc_comm(second, comm), 0);
		CHECK_STR(comm, "second<>");
	}
	kill(maker, SIGKILL);
	if (first)
		kill(first, SIGKILL);
	waitpid(maker, NULL, 0);
	close(pipefd[0]);
}

int main(void)
{
	char comm[PROC_COMM_MAX];

	CHECK_INT(pidns_find(&ns, getpid(), PIDNS_TGID, 4711), 4711);
	CHECK_INT(pidns_find(&ns, getpid(), PIDNS_TGID, -1), 0);
	CHECK_INT(pidns_find(&ns, 0x3fffffff, PIDNS_TGID, 1), 0);
	CHECK(proc_comm(0x3fffffff, comm) < 0);
	CHECK_STR(comm, "");
	inner();
	return tap_done();
}
