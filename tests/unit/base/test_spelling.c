/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"

#include <exectrace/base/spelling.h>
#include <string.h>

static size_t distance(const char *a, const char *b)
{
	size_t there = spelling_distance(a, strlen(a), b, strlen(b));

	CHECK_INT(spelling_distance(b, strlen(b), a, strlen(a)), there);
	return there;
}

static const char *nearest(const char *word, const char *const *candidates)
{
	struct spelling s;

	spelling_start(&s, word, strlen(word));
	for (; *candidates; candidates++)
		spelling_try(&s, *candidates);
	return s.nearest;
}

int main(void)
{
	static const char *const tools[] = {
		"trace", "strace", "ltrace", "gdb", "a-candidate-that-is-far-too-long-to-be-one", NULL};

	/* The textbook's pairs. */
	CHECK_INT(distance("", ""), 0);
	CHECK_INT(distance("", "abc"), 3);
	CHECK_INT(distance("kitten", "sitting"), 3);
	CHECK_INT(distance("Saturday", "sunday"), 3);
	CHECK_INT(distance("flaw", "lawn"), 2);
	CHECK_INT(distance("ca", "ac"), 1);  /* a swap */
	CHECK_INT(distance("ca", "abc"), 3); /* not 2: nothing is edited twice */

	CHECK_STR(nearest("strac", tools), "strace");
	CHECK_STR(nearest("STRACE", tools), "strace");
	CHECK_STR(nearest("trcae", tools), "trace");
	CHECK_STR(nearest("gbd", tools), "gdb");
	CHECK_STR(nearest("g", tools), NULL);
	CHECK_STR(nearest("valgrind", tools), NULL);
	CHECK_STR(nearest("a-word-that-is-far-too-long-to-be-one", tools), NULL);
	return TAP_DONE();
}
