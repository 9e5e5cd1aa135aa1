/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count.h"

#include <ctype.h>

struct count count_stream(FILE *in)
{
	struct count sum = {0, 0, 0};
	int c, in_word = 0;

	while ((c = getc(in)) != EOF) {
		sum.bytes++;
		sum.lines += c == '\n';
		sum.words += !in_word && !isspace(c);
		in_word = !isspace(c);
	}
	return sum;
}
