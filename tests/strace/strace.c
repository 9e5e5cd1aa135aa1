/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strace's command line on our tracer, for strace's own tests: it is the same. A script would not do: each interpreter
 * changes something of what a program inherits, signals that are ignored or blocked, or descriptors.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *program = getenv("EXECTRACE");
	char **args = calloc((size_t)argc + 2, sizeof(*args)), path[PATH_MAX];

	if (!program || !args)
		return 125;
	/* The program does what its name says. */
	snprintf(path, sizeof(path), "%s-trace", program);
	if (symlink(program, path) && errno != EEXIST)
		return 125;
	args[0] = path;
	args[1] = "--format=strace";
	for (int i = 1; i < argc; i++)
		args[i + 1] = argv[i];
	execv(path, args);
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	return 125;
}
