/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bigargs KIND PROGRAM
 * Executes PROGRAM with unusual arguments:
 *   million   a million characters in nine arguments of up to 120 KiB
 *   many      20,000 arguments
 *   bytes     newlines, tabs, quotes, escape sequences, bytes that are not UTF-8, empty strings
 *   edge      the array, the path and every string end right before a page that is not mapped
 *   environ   5,000 variables, some without "=", one of 100 KiB
 */
#include "victim.h"
#include <sys/mman.h>

static void run(const char *path, char **argv)
{
	execve(path, argv, environ);
	printf("execve: %s\n", errno_name(errno));
	exit(1);
}

static void form_million(char *path)
{
	static char *argv[12];
	int i;

	argv[0] = path;
	argv[1] = (char *)"PICKME";
	for (i = 2; i < 11; i++) {
		argv[i] = malloc(120 * 1024);
		memset(argv[i], 'a' + i, 120 * 1024 - 1);
		argv[i][i < 10 ? 120 * 1024 - 1 : 16960] = '\0';
	}
	run(path, argv);
}

static void form_many(char *path)
{
	static char *argv[20002], text[20000][8];
	int i;

	argv[0] = path;
	argv[1] = (char *)"PICKME";
	for (i = 2; i < 20001; i++) {
		snprintf(text[i - 2], sizeof(text[0]), "%d", i);
		argv[i] = text[i - 2];
	}
	run(path, argv);
}

static void form_bytes(char *path)
{
	char *argv[] = {path,
	                (char *)"PICKME",
	                (char *)"two\nlines\n",
	                (char *)"",
	                (char *)"\xff\xfe\x80 not UTF-8 \xc3",
	                (char *)"\033[31mred\033[0m\a\t",
	                (char *)"'single' \"double\" $dollar `back` \\slash",
	                (char *)"-dash --dash",
	                (char *)"z\xc3\xa4h",
	                NULL};

	run(path, argv);
}

/* Memory of n bytes that ends where a page begins that is not mapped. */
static void *at_edge(const void *bytes, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (n + page - 1) / page;
	char *area = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED || munmap(area + pages * page, page) < 0)
		die("mmap");
	return memcpy(area + pages * page - n, bytes, n);
}

static char *string_at_edge(const char *s)
{
	return at_edge(s, strlen(s) + 1);
}

static void form_edge(char *path)
{
	char *argv[] = {string_at_edge(path), string_at_edge("PICKME"), string_at_edge(""), string_at_edge("end"),
	                NULL};

	run(argv[0], at_edge(argv, sizeof(argv)));
}

static void form_environ(char *path)
{
	static char *env[5002], text[5000][32], big[100 * 1024];
	char *argv[] = {path, (char *)"PICKME", NULL};
	int i;

	for (i = 0; i < 5000; i++) {
		snprintf(text[i], sizeof(text[0]), i % 10 ? "VARIABLE_%d=%d" : "no assignment %d", i, i);
		env[i] = text[i];
	}
	memset(big, 'b', sizeof(big) - 1);
	memcpy(big, "BIG=", 4);
	env[5000] = big;
	execve(path, argv, env);
	printf("execve: %s\n", errno_name(errno));
}

int main(int argc, char **argv)
{
	const char *kind = argc == 3 ? argv[1] : "";

	if (strcmp(kind, "million") == 0)
		form_million(argv[2]);
	else if (strcmp(kind, "many") == 0)
		form_many(argv[2]);
	else if (strcmp(kind, "bytes") == 0)
		form_bytes(argv[2]);
	else if (strcmp(kind, "edge") == 0)
		form_edge(argv[2]);
	else if (strcmp(kind, "environ") == 0)
		form_environ(argv[2]);
	else
		usage("bigargs million|many|bytes|edge|environ PROGRAM");
	return 1;
}
