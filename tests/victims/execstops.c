/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execstops N FROM_US TO_US COMMAND [ARG]...: N children that execute COMMAND, which reads its standard input to the
 * end, get SIGSTOP at a moment around that, from FROM_US to TO_US microseconds after their fork. Each is to be seen
 * stopped, to stay so for 30 ms, and to end after SIGCONT and the end of its input. Prints how many did what.
 */
#include "victim.h"

static char state_of(pid_t pid)
{
	char path[64], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	if (file && fscanf(file, "%*d %*s %c", &state) != 1)
		state = '?';
	if (file)
		fclose(file);
	return state;
}

/* Waits for a stop or an end, a minute at most, which is far more than it takes. */
static bool changed(pid_t pid, int *status)
{
	int64_t end = now_ms() + 60000;

	while (now_ms() < end) {
		if (waitpid(pid, status, WUNTRACED | WNOHANG) == pid)
			return true;
		sleep_ms(1);
	}
	return false;
}

/* A child that executes the command; *input is the end of its pipe to be closed. */
static pid_t start(char **command, int *input)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		die("pipe");
	pid = fork();
	if (pid == 0) {
		if (dup2(ends[0], 0) || !freopen("/dev/null", "w", stdout))
			die("/dev/null");
		execv(command[0], command);
		die(command[0]);
	}
	close(ends[0]);
	*input = ends[1];
	return pid;
}

int main(int argc, char **argv)
{
	int stopped = 0, ended = 0, never = 0, ran = 0, status = 0;
	int input, many = argc > 4 ? atoi(argv[1]) : 0;

	if (!many)
		usage("execstops N FROM_US TO_US COMMAND [ARG]...");
	for (int i = 0; i < many; i++) {
		long from = atol(argv[2]), to = atol(argv[3]);
		struct timespec moment = {0, (from + (to - from) * i / many) * 1000};
		pid_t pid = start(argv + 4, &input);

		nanosleep(&moment, NULL);
		kill(pid, SIGSTOP);
		if (!changed(pid, &status)) {
			never++;
		} else if (!WIFSTOPPED(status)) {
			ended++;
			close(input);
			continue;
		} else {
			sleep_ms(30);
			if (strchr("Tt", state_of(pid)))
				stopped++;
			else
				ran++;
		}
		kill(pid, SIGCONT);
		close(input);
		(void)waitpid(pid, &status, 0);
	}
	printf("%d stopped, %d ended instead, %d never seen, %d ran on\n", stopped, ended, never, ran);
	return 0;
}
