/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parallel N COMMAND [ARG]...
 * N children execute COMMAND at the same moment, each found through PATH and with its number (1 to N) as last argument.
 * Prints how many ended with 0, with another status, and by a signal.
 */
#include "victim.h"

static _Noreturn void child(int gate, int number, int argc, char **argv)
{
	char text[16], byte;
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	int i;

	snprintf(text, sizeof(text), "%d", number);
	for (i = 0; i < argc; i++)
		words[i] = argv[i];
	words[argc] = text;
	while (read(gate, &byte, 1) < 0)
		;
	execvp(words[0], words);
	_exit(VICTIM_BROKEN);
}

int main(int argc, char **argv)
{
	int gate[2], i, n, status, good = 0, bad = 0, killed = 0;

	if (argc < 3)
		usage("parallel N COMMAND [ARG]...");
	n = atoi(argv[1]);
	if (pipe2(gate, O_CLOEXEC) < 0)
		die("pipe");
	for (i = 1; i <= n; i++)
		if (fork() == 0) {
			close(gate[1]);
			child(gate[0], i, argc - 2, argv + 2);
		}
	sleep_ms(20); /* until all of them wait */
	close(gate[1]);
	while (wait(&status) > 0) {
		good += status == 0;
		bad += WIFEXITED(status) && status != 0;
		killed += WIFSIGNALED(status);
	}
	printf("good %d, bad %d, killed %d\n", good, bad, killed);
	return 0;
}
