/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * renames SEED COMMAND [ARGUMENT...]
 * Runs COMMAND and, while it runs, renames files of the present directory to and fro: in bursts with pauses between
 * them, of lengths that follow from SEED. Says on standard error how often. Its status is COMMAND's.
 */
#include "victim.h"

static uint64_t next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

int main(int argc, char **argv)
{
	uint64_t state = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	unsigned long done = 0;
	int status = 0;
	pid_t pid = 0;

	if (argc < 3)
		usage("renames SEED COMMAND [ARGUMENT...]");
	close(open("renames.a", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		struct timespec pause = {.tv_nsec = (long)(next(&state) % 50000)};

		for (uint64_t n = next(&state) % 400; n; n--, done += 2) {
			if (rename("renames.a", "renames.b") || rename("renames.b", "renames.a"))
				die("rename");
		}
		nanosleep(&pause, NULL);
	}
	fprintf(stderr, "renames: %lu with seed %s\n", done, argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
