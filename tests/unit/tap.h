/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks that print the Test Anything Protocol. A test is a main() of CHECKs that ends with `return TAP_DONE();`.
 * For one file a program: the count is its own.
 */
#ifndef EXECTRACE_TESTS_UNIT_TAP_H
#define EXECTRACE_TESTS_UNIT_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_run, tap_failed;

/* Prints one result; true when it is a pass. */
__attribute__((unused)) static bool tap_check(bool pass, const char *text, const char *file, int line)
{
	tap_run++;
	if (pass) {
		printf("ok %d - %s\n", tap_run, text);
	} else {
		tap_failed++;
		printf("not ok %d - %s # %s:%d\n", tap_run, text, file, line);
	}
	fflush(stdout);
	return pass;
}

/* Prints a string in a TAP comment; a newline in it must not start a line of its own. */
__attribute__((unused)) static void tap_show(const char *what, const char *text)
{
	printf("#   %s ", what);
	if (!text)
		printf("(null)");
	for (; text && *text; text++) {
		if (*text == '\n')
			printf("\\n");
		else
			putchar(*text);
	}
	putchar('\n');
}

__attribute__((unused)) static bool tap_check_str(const char *got, const char *want, const char *text, const char *file,
                                                  int line)
{
	bool pass = got && want ? strcmp(got, want) == 0 : got == want;

	if (!tap_check(pass, text, file, line)) {
		tap_show("got: ", got);
		tap_show("want:", want);
	}
	return pass;
}

__attribute__((unused)) static bool tap_check_int(long long got, long long want, const char *text, const char *file,
                                                  int line)
{
	if (!tap_check(got == want, text, file, line))
		printf("#   got:  %lld\n#   want: %lld\n", got, want);
	return got == want;
}

/* One result that is left out, with the reason. */
__attribute__((unused)) static void tap_skip(const char *text, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_run, text, why);
}

/* Prints the plan; the exit status of the program. */
__attribute__((unused)) static int tap_done(void)
{
	printf("1..%d\n", tap_run);
	/* A program that checks nothing has not passed. */
	return tap_failed || !tap_run || fflush(stdout) ? 1 : 0;
}

/* Each is true when it passed, so that what only makes sense then can depend on it. */
#define CHECK(cond) tap_check((cond), #cond, __FILE__, __LINE__)
#define CHECK_STR(got, want) tap_check_str((got), (want), #got " is " #want, __FILE__, __LINE__)
#define CHECK_INT(got, want) tap_check_int((got), (want), #got " is " #want, __FILE__, __LINE__)
#define SKIP(text, why) tap_skip((text), (why))
#define TAP_DONE() tap_done()

#endif
