/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program that the tests look for: prog [-x STATUS] [-k SIGNAL] [-s MS] [-e NAME] [WORD]...
 * Writes "says WORD..." in one write(2), so that a system-call log of it is recognisable, appends "PID WORD..." to the
 * file named by PROG_LOG, so that the test knows which process it was, prints the variable NAME, sleeps, and ends as it
 * was told.
 */
#include "victim.h"

struct plan {
	int status;
	int sig;
	int ms;
	const char *variable;
};

static void log_pid(const char *words)
{
	const char *file = getenv("PROG_LOG");
	char line[8192];
	int fd, n;

	if (!file)
		return;
	fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return; /* in another root */
	n = snprintf(line, sizeof(line), "%d %s\n", (int)getpid(), words);
	if (write(fd, line, (size_t)n) != n)
		die("write");
	close(fd);
}

/* A function with arguments of its own, for debuggers to stop in. */
__attribute__((noinline)) int work(int argc, char **argv);
int work(int argc, char **argv)
{
	char text[8192] = "says";
	size_t n = strlen(text);
	int i;

	for (i = 0; i < argc; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %.*s", 1000, argv[i]);
	text[n++] = '\n';
	if (write(1, text, n) < 0 && errno != EBADF)
		die("write");
	text[n - 1] = '\0';
	log_pid(text + (argc > 0 ? strlen("says ") : strlen("says")));
	return argc;
}

int main(int argc, char **argv)
{
	struct plan plan = {0};
	int opt;

	while ((opt = getopt(argc, argv, "+e:k:ls:x:")) != -1) {
		if (opt == 'x')
			plan.status = atoi(optarg);
		else if (opt == 'k')
			plan.sig = signal_number(optarg);
		else if (opt == 's')
			plan.ms = atoi(optarg);
		else if (opt == 'e')
			plan.variable = optarg;
	}
	if (argc > 0)
		work(argc - optind, argv + optind);
	else
		work(0, argv);
	if (plan.variable)
		printf("%s=%s\n", plan.variable, getenv(plan.variable) ? getenv(plan.variable) : "(unset)");
	fflush(stdout);
	sleep_ms(plan.ms);
	if (plan.sig)
		raise(plan.sig);
	return plan.status;
}
