/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks binutils about the programs a test has built. After program.h. */
#ifndef EXECTRACE_TESTS_UNIT_ORACLE_H
#define EXECTRACE_TESTS_UNIT_ORACLE_H

#include "program.h"

/* Runs a shell command in the scratch directory and opens what it prints. */
MAYBE FILE *ask(const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "cd '%s' && { %s\n} 2>/dev/null", scratch_dir, command);
	fflush(stdout);
	return popen(line, "r");
}

/* The first line that a command prints, without its newline; "" when there is none. */
MAYBE const char *answer(const char *command, char *text, size_t n)
{
	FILE *in = ask(command);

	if (!in || !fgets(text, (int)n, in))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (in)
		pclose(in);
	return text;
}

/* Runs a command; true when it succeeds. */
MAYBE bool shell(const char *command)
{
	FILE *in = ask(command);
	char text[256];

	while (in && fgets(text, sizeof(text), in))
		;
	return in && pclose(in) == 0;
}

#endif
