/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * used SECONDS COMMAND...: what the command used: CPU seconds, user and system together, and the most memory it had at
 * a time (MiB); "cut" behind them when it was killed because it took longer than so many seconds.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t late;

static void on_alarm(int signal)
{
	(void)signal;
	late = 1;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct rusage used;
	pid_t pid, done;
	int status = 0;

	if (argc < 3)
		return 2;
	sigaction(SIGALRM, &action, NULL);
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	alarm((unsigned)atoi(argv[1]));
	while ((done = wait4(pid, &status, 0, &used)) < 0 && late)
		kill(pid, SIGKILL);
	if (done < 0)
		return 1;
	printf("%.3f %.1f%s\n", seconds(used.ru_utime) + seconds(used.ru_stime), (double)used.ru_maxrss / 1024,
	       late ? " cut" : "");
	return !late && (!WIFEXITED(status) || WEXITSTATUS(status));
}
