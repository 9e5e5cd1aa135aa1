/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prog -l|-w|-c FILE: the number of lines, words or bytes of a file. */
#include "count.h"

#include <string.h>

int main(int argc, char **argv)
{
	struct count sum;
	FILE *in;

	if (argc != 3 || strlen(argv[1]) != 2 || !strchr("lwc", argv[1][1])) {
		fprintf(stderr, "usage: prog -l|-w|-c FILE\n");
		return 2;
	}
	in = fopen(argv[2], "r");
	if (!in) {
		perror(argv[2]);
		return 1;
	}
	sum = count_stream(in);
	fclose(in);
	printf("%lu\n", argv[1][1] == 'l' ? sum.lines : argv[1][1] == 'w' ? sum.words : sum.bytes);
	return 0;
}
