/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * endings N | endings how WHAT
 * Ends of all kinds: executes itself N times with `how`, each of a kind that N says, many at once, and prints the pid
 * of each and how wait has it, as `PID exit 3` or `PID SIGTERM`. Kinds: exit_group with each status, each signal, exits
 * of threads before and after the first one, exit_group by another thread, children of vfork, killed while it exits.
 */
#include "victim.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define AT_ONCE 8
#define KINDS 10

static int what;

static void *idle_thread(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

static void *ends_all(void *arg)
{
	(void)arg;
	usleep((useconds_t)what * 20);
	_exit(what % 256);
}

static void *ends_itself(void *arg)
{
	(void)arg;
	usleep((useconds_t)what * 20);
	return NULL;
}

static void *is_killed(void *arg)
{
	(void)arg;
	usleep((useconds_t)what * 20);
	kill(getpid(), SIGTERM);
	pause();
	return NULL;
}

static void with_thread(void *(*fn)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, NULL))
		die("pthread_create");
}

static void killed_while_exiting(void)
{
	pid_t pid = getpid();

	if (fork() == 0) {
		kill(pid, SIGKILL);
		_exit(0);
	}
	_exit(what % 256);
}

static void end_as(int how)
{
	static const int signals[] = {SIGTERM, SIGKILL, SIGINT, SIGHUP, SIGUSR1, SIGPIPE, SIGALRM};

	what = how;
	switch (how % KINDS) {
	case 0:
	case 1:
		_exit(how / KINDS % 256);
	case 2:
		kill(getpid(), signals[(unsigned)how / KINDS % (sizeof(signals) / sizeof(signals[0]))]);
		break;
	case 3:
		with_thread(idle_thread);
		_exit(how % 256);
	case 4:
		with_thread(ends_all);
		pause();
		break;
	case 5: /* the first thread ends before the other one ends all */
		with_thread(ends_all);
		syscall(SYS_exit, 0);
		break;
	case 6: /* ... and it is its status that counts, for the others end by themselves */
		with_thread(ends_itself);
		syscall(SYS_exit, how % 256);
		break;
	case 7:
		with_thread(is_killed);
		syscall(SYS_exit, 0);
		break;
	case 8:
		syscall(SYS_exit, how % 256);
		break;
	default:
		killed_while_exiting();
	}
}

static pid_t start(char *self, int how)
{
	char text[16];
	char *argv[] = {self, (char *)"how", text, NULL};
	pid_t pid;

	snprintf(text, sizeof(text), "%d", how);
	pid = how % 3 ? fork() : vfork();
	if (pid == 0) {
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	return pid;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[argc - 1]) : 0;
	int running = 0;

	if (argc == 3) {
		end_as(n);
		return 99;
	}
	if (argc != 2)
		usage("endings N | endings how WHAT");
	for (int i = 0; i < n || running;) {
		int status = 0;
		pid_t pid;

		if (i < n && running < AT_ONCE && start(argv[0], i) > 0) {
			i++;
			running++;
			continue;
		}
		pid = wait(&status);
		running -= pid > 0;
		if (pid > 0 && WIFEXITED(status))
			printf("%d exit %d\n", (int)pid, WEXITSTATUS(status));
		else if (pid > 0)
			printf("%d SIG%s\n", (int)pid, sigabbrev_np(WTERMSIG(status)));
	}
	return 0;
}
