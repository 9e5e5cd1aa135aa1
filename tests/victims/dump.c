/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump [WORD]...
 * Prints its arguments and its environment byte for byte: their number, total length, a hash over all bytes, and the
 * beginning of each of the first few. With DUMP_RAW in the environment every string follows whole.
 */
#include "victim.h"

struct sum {
	unsigned long strings, bytes;
	uint64_t hash; /* FNV-1a over the bytes and the final zeros */
};

static void sum_add(struct sum *sum, const char *s)
{
	sum->strings++;
	do {
		sum->hash = (sum->hash ^ (unsigned char)*s) * UINT64_C(1099511628211);
		sum->bytes++;
	} while (*s++);
}

static void print_bytes(const char *s, size_t limit)
{
	for (; *s && limit; s++, limit--)
		printf(*s >= ' ' && *s <= '~' && *s != '\\' ? "%c" : "\\%03o", (unsigned char)*s);
	printf(*s ? "...\n" : "\n");
}

static void dump(const char *what, char **strings)
{
	struct sum sum = {.hash = UINT64_C(14695981039346656037)};
	bool raw = getenv("DUMP_RAW") != NULL;
	int i;

	for (i = 0; strings[i]; i++)
		sum_add(&sum, strings[i]);
	printf("%s: %lu strings, %lu bytes, hash %016llx\n", what, sum.strings, sum.bytes,
	       (unsigned long long)sum.hash);
	for (i = 0; strings[i] && (raw || i < 6); i++) {
		printf("%s[%d] ", what, i);
		print_bytes(strings[i], raw ? (size_t)-1 : 60);
	}
}

int main(int argc, char **argv)
{
	printf("argc %d\n", argc);
	dump("argv", argv);
	dump("environ", environ);
	return 0;
}
