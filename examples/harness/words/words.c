/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words FILE: the number of words in it. What the tests of all the harnesses here run. */
#include <ctype.h>
#include <stdio.h>

static int count_words(FILE *in)
{
	int c, inside = 0, words = 0;

	while ((c = getc(in)) != EOF) {
		words += !inside && !isspace(c);
		inside = !isspace(c);
	}
	return words;
}

int main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;

	if (!in) {
		perror(argc == 2 ? argv[1] : "usage: words FILE");
		return 1;
	}
	printf("%d\n", count_words(in));
	return 0;
}
