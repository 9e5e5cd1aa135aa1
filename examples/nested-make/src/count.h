/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef COUNT_H
#define COUNT_H

#include <stdio.h>

struct count {
	unsigned long lines, words, bytes;
};

/* Counts all of `in`. */
struct count count_stream(FILE *in);

#endif
