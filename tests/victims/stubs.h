/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of a guest that calls functions of the C library through stubs, each a number of times that is known: most
 * of them have several implementations, among which the library chooses when it is loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1 << 16];
static char *volatile name;

/* Each call takes longer. */
__attribute__((noinline)) static void add_line(void)
{
	strcat(text, "0123456789");
}

int main(int argc, char **argv)
{
	int (*volatile compare)(const char *, const char *) = strcmp;
	unsigned n = (unsigned)argc;

	name = argv[0];
	for (int i = 0; i < 1234; i++)
		n += strchr(name, 's') != NULL;
	for (int i = 0; i < 700; i++)
		n += (unsigned)rand_r(&n) & 1;
	for (int i = 0; i < 555; i++)
		n += compare(text, name) == 0;
	for (int i = 0; i < 2000; i++)
		add_line();
	return n == 0;
}
