/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that changes one thing after the other, and what is said of it. */
#include <exectrace/target/process/state.h>

#include "tap.h"
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool has(const struct strv *lines, const char *line)
{
	for (size_t i = 0; i < lines->n; i++)
		if (strcmp(lines->items[i], line) == 0)
			return true;
	return false;
}

/* Ready to be looked at when it has closed its end of the pipe; until it is killed. */
static pid_t child(void (*change)(void))
{
	int ends[2];
	char byte;
	pid_t pid;

	if (!CHECK_INT(pipe2(ends, O_CLOEXEC), 0))
		exit(1);
	pid = fork();
	if (pid == 0) {
		change();
		close(ends[0]);
		close(ends[1]);
		for (;;)
			pause();
	}
	close(ends[1]);
	CHECK_INT(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	return pid;
}

static void look(const struct state_base *base, void (*change)(void), const struct strv *env, struct strv *lines)
{
	pid_t pid = child(change);

	CHECK_INT(state_read(base, pid, env, lines), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void nothing(void)
{
}

static void much(void)
{
	const struct rlimit limit = {33, 44};
	sigset_t set;

	umask(0123);
	setrlimit(RLIMIT_NOFILE, &limit);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 20);
	dup3(20, 21, O_CLOEXEC);
	close(0);
	if (!geteuid()) {
		gid_t groups[] = {4, 24, 4711, 12};

		/* The user last: what may be changed before it may not be after it. */
		if (setgroups(4, groups) || unshare(CLONE_NEWUTS) || setresgid(65534, 65534, 65534) ||
		    setresuid(65534, 65534, 65534))
			_exit(1);
	}
}

static void check_credentials(const struct strv *lines)
{
	unsigned spaces = 0;

	CHECK(has(lines, "groups 4 12 24 4711"));
	CHECK(has(lines, "uid 65534 65534 65534"));
	CHECK(has(lines, "gid 65534 65534 65534"));
	CHECK(has(lines, "capabilities 0000000000000000"));
	for (size_t i = 0; i < lines->n; i++)
		spaces += strncmp(lines->items[i], "ns ", 3) == 0;
	CHECK_INT(spaces, 1);
}

int main(void)
{
	struct strv lines = STRV_INIT, same = STRV_INIT, env = STRV_INIT;
	struct state_base *base = NULL;

	umask(022);
	signal(SIGHUP, SIG_DFL); /* whoever runs the tests may ignore it */
	setenv("KEPT", "1", 1);
	setenv("GONE", "1", 1);
	if (!CHECK_INT(state_base_new(&base), 0))
		return TAP_DONE();
	look(base, nothing, NULL, &same);
	CHECK_INT(same.n, 0);
	for (size_t i = 0; i < same.n; i++)
		printf("# %s\n", same.items[i]);
	for (char **var = environ; *var; var++)
		if (strncmp(*var, "GONE=", 5) != 0)
			strv_push(&env, *var);
	strv_push(&env, "NEW=a b");
	look(base, much, &env, &lines);
	CHECK(has(&lines, "env NEW=a b"));
	CHECK(has(&lines, "unset GONE"));
	CHECK(has(&lines, "umask 0123"));
	CHECK(has(&lines, "limit NOFILE 33 44"));
	CHECK(has(&lines, "ignored HUP"));
	CHECK(has(&lines, "blocked USR2"));
	CHECK(has(&lines, "fd 20 /dev/null"));
	CHECK(!has(&lines, "fd 21 /dev/null"));
	CHECK(has(&lines, "closed 0") == (fcntl(0, F_GETFD) >= 0));
	if (!geteuid())
		check_credentials(&lines);
	CHECK(state_read(base, 0x3fffffff, NULL, &lines) < 0);
	strv_release(&lines);
	strv_release(&same);
	strv_release(&env);
	state_base_free(base);
	return TAP_DONE();
}
