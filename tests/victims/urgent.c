/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * urgent caught|pending|sent N: makes N calls, and tells how many of the signals that do nothing by themselves came.
 * caught: it has handlers for them, and sends itself one of them before each call; pending: one is pending, another
 * blocked, from the beginning to the end; sent: they are ignored, and a child sends
 * them to all of the process group, programs that have just begun among them, again and again.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int without_effect[] = {SIGURG, SIGWINCH, SIGCHLD};
static volatile sig_atomic_t came[3];

static void on_signal(int sig)
{
	for (int i = 0; i < 3; i++)
		came[i] += without_effect[i] == sig;
}

static void caught(int n)
{
	const struct sigaction action = {.sa_handler = on_signal};

	for (int i = 0; i < 3; i++)
		sigaction(without_effect[i], &action, NULL);
	for (int i = 0; i < n; i++) {
		kill(getpid(), without_effect[i % 3]);
		(void)syscall(SYS_getppid);
	}
	printf("%d %d %d\n", (int)came[0], (int)came[1], (int)came[2]);
}

static void pending(int n)
{
	const struct timespec none = {0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGURG);
	for (int i = 0; i < n; i++)
		(void)syscall(SYS_getppid);
	printf("%d", sigtimedwait(&set, NULL, &none));
	printf(" %d\n", sigtimedwait(&set, NULL, &none));
}

static void sent(int n)
{
	const struct timespec between = {.tv_nsec = 300000};
	const pid_t us = getpid();
	pid_t child;

	setpgid(0, 0);
	child = fork();
	for (int i = 0; child == 0 && getppid() == us; i++) {
		kill(0, without_effect[i % 3]);
		nanosleep(&between, NULL);
	}
	if (child == 0)
		_exit(0);
	for (int i = 0; i < n; i++) {
		(void)syscall(SYS_getppid);
		if (i % 8 == 0 && fork() == 0) {
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
	}
	kill(child, SIGKILL);
	while (wait(NULL) > 0)
		;
	printf("%d calls\n", n);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "caught") == 0)
		caught(n);
	else if (strcmp(argv[1], "pending") == 0)
		pending(n);
	else
		sent(n);
	return 0;
}
