/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * int80 PROGRAM [ARG]...
 * A 64-bit program that executes another through the 32-bit system call entry (int 0x80, execve is 11 there, pointers
 * have four bytes), after two tries that must fail: a missing file, and execveat (358) with a bad descriptor. Exits
 * with 77 where the kernel has no such entry.
 */
#include "victim.h"
#include <sys/mman.h>

#ifdef __x86_64__
#define AREA (1 << 20)

static char *area;
static size_t used;

static uint32_t low(const void *p)
{
	return (uint32_t)(uintptr_t)p;
}

/* A copy below 4 GiB. */
static uint32_t put(const void *bytes, size_t n)
{
	char *at = area + used;

	used += (n + 7) & ~(size_t)7;
	if (used > AREA)
		die("arguments too long");
	memcpy(at, bytes, n);
	return low(at);
}

static uint32_t put_strings(char **strings)
{
	uint32_t pointers[1024];
	size_t n;

	for (n = 0; strings[n] && n < 1023; n++)
		pointers[n] = put(strings[n], strlen(strings[n]) + 1);
	pointers[n++] = 0;
	return put(pointers, n * sizeof(pointers[0]));
}

static long call32(uint32_t nr, const uint32_t args[5])
{
	long ret;

	__asm__ volatile("int $0x80"
	                 : "=a"(ret)
	                 : "a"(nr), "b"(args[0]), "c"(args[1]), "d"(args[2]), "S"(args[3]), "D"(args[4])
	                 : "memory", "r8", "r9", "r10", "r11");
	return (int32_t)ret;
}

static void no_entry(int sig)
{
	_exit(sig == SIGSEGV ? 77 : VICTIM_BROKEN);
}

int main(int argc, char **argv)
{
	const uint32_t none[5] = {0};
	uint32_t args[5] = {0};

	if (argc < 2)
		usage("int80 PROGRAM [ARG]...");
	area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (area == MAP_FAILED)
		die("mmap");
	signal(SIGSEGV, no_entry);
	if (call32(20, none) != getpid())
		return 77;
	args[1] = put_strings(argv + 1);
	args[2] = put_strings(environ);
	args[0] = put("/nonexistent/prog", sizeof("/nonexistent/prog"));
	printf("missing: %s\n", errno_name((int)-call32(11, args)));
	printf("bad descriptor: %s\n",
	       errno_name((int)-call32(358, (uint32_t[5]){999, put("x", 2), args[1], args[2], 0})));
	fflush(stdout);
	args[0] = put(argv[1], strlen(argv[1]) + 1);
	printf("execve: %s\n", errno_name((int)-call32(11, args)));
	return 1;
}
#else
int main(void)
{
	return 77;
}
#endif
