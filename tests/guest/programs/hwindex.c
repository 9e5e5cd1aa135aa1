/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hwindex FILE: how many different lines it has. Each is compared with all those before it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES 8192

static char *entries[ENTRIES];

static __attribute__((noinline)) int same_entry(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static __attribute__((noinline)) int is_known(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (same_entry(entries[i], text))
			return 1;
	return 0;
}

static __attribute__((noinline)) size_t index_table(FILE *f)
{
	char line[256];
	size_t n = 0;

	while (n < ENTRIES && fgets(line, sizeof(line), f)) {
		if (is_known(line, n))
			continue;
		entries[n] = strdup(line);
		if (!entries[n++])
			abort();
	}
	return n;
}

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;

	if (!f) {
		perror("hwindex");
		return 1;
	}
	printf("%zu entries\n", index_table(f));
	fclose(f);
	return 0;
}
