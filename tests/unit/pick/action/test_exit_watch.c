/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends of processes that nothing is attached to, and their statuses. */
#include "program.h"
#include "tap.h"
#include <exectrace/pick/action/exit_watch.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

/* A child that ends, by a signal or with a status, when `go` is written to. */
static pid_t mortal(int go, int status, int sig)
{
	pid_t pid = child();
	char c;

	if (pid == 0) {
		(void)!read(go, &c, 1);
		if (sig)
			kill(getpid(), sig);
		_exit(status);
	}
	return pid;
}

/* Seen as a zombie, or only when its parent has reaped it. */
static void ends(int status, int sig, bool reaped)
{
	struct exec_end end = {0};
	struct exit_watch watch;
	uint64_t when;
	int go[2], want;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return;
	pid = mortal(go[0], status, sig);
	CHECK_INT(exit_watch_open(&watch, pid), 0);
	CHECK(watch.pid == pid && watch.fd > 2 && fcntl(watch.fd, F_GETFD) == FD_CLOEXEC);
	CHECK(!exit_watch_look(&watch, &end));
	CHECK(!end.ended && !end.known);
	(void)!write(go[1], "x", 1);
	reaches_state(pid, "Z");
	want = reaped ? end_of(pid) : sig ? sig : status << 8;
	CHECK(exit_watch_look(&watch, &end));
	CHECK(end.ended && end.when > 0);
	when = end.when;
	if (reaped && !end.known)
		printf("# skipped: this kernel does not tell the status of one that was reaped\n");
	else if (CHECK(end.known))
		CHECK_INT(end.wait_status, want);
	CHECK(exit_watch_look(&watch, &end) && end.when >= when);
	exit_watch_close(&watch);
	CHECK_INT(watch.fd, -1);
	CHECK(!exit_watch_look(&watch, &end));
	exit_watch_close(&watch);
	end_of(pid);
	close(go[0]);
	close(go[1]);
}

static void gone(void)
{
	struct exec_end end = {0};
	struct exit_watch watch;
	pid_t pid = idle_child();

	finish(pid);
	CHECK_INT(exit_watch_open(&watch, pid), -ESRCH);
	CHECK_INT(watch.fd, -1);
	CHECK(!exit_watch_look(&watch, &end));
	CHECK(!end.ended);
	exit_watch_close(&watch);
}

/* The numbers of the standard files stay free. */
static void descriptors(void)
{
	struct exit_watch watch;
	pid_t pid = idle_child();
	int saved = fcntl(0, F_DUPFD_CLOEXEC, 10);

	close(0);
	CHECK_INT(exit_watch_open(&watch, pid), 0);
	CHECK(watch.fd > 2 && fcntl(0, F_GETFD) < 0);
	exit_watch_close(&watch);
	dup2(saved, 0);
	close(saved);
	finish(pid);
}

/* The child is another's, which reaps at once. */
static void grandchild(void)
{
	struct exec_end end = {0};
	struct exit_watch watch;
	int tell[2], go[2];
	pid_t parent, pid = 0;

	if (pipe2(tell, O_CLOEXEC) || pipe2(go, O_CLOEXEC))
		return;
	parent = child();
	if (parent == 0) {
		pid = mortal(go[0], 42, 0);
		(void)!write(tell[1], &pid, sizeof(pid));
		_exit(end_of(pid) == 42 << 8 ? 0 : 1);
	}
	CHECK_INT(read(tell[0], &pid, sizeof(pid)), sizeof(pid));
	CHECK_INT(exit_watch_open(&watch, pid), 0);
	(void)!write(go[1], "x", 1);
	CHECK_INT(end_of(parent), 0);
	for (int i = 0; i < 100 && !exit_watch_look(&watch, &end); i++)
		nap(2);
	CHECK(end.ended);
	if (end.known)
		CHECK_INT(end.wait_status, 42 << 8);
	exit_watch_close(&watch);
	close(tell[0]);
	close(tell[1]);
	close(go[0]);
	close(go[1]);
}

int main(void)
{
	scratch_begin(60);
	ends(0, 0, false);
	ends(3, 0, false);
	ends(255, 0, false);
	ends(0, SIGTERM, false);
	ends(3, 0, true);
	ends(0, SIGKILL, true);
	gone();
	descriptors();
	grandchild();
	return TAP_DONE();
}
