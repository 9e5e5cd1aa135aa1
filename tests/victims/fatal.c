/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends by a signal that the kernel sends for what it does, in the function `work` that main calls.
 * usage: fatal null | divide | beyond FILE | deep | forbidden
 *   null: reads through a null pointer; divide: by zero; beyond: reads a mapping behind the end of the file; deep:
 * calls itself until its stack is full; forbidden: getppid(2), for which its seccomp filter ends it
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int zero;

static int forbid(void)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(insns) / sizeof(*insns), insns};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int beyond(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	volatile char *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? 8 : map[17];
}

__attribute__((noinline)) static int deep(volatile char *above)
{
	volatile char room[4000];

	room[0] = above[0];
	return zero ? 0 : deep(room) + room[0];
}

__attribute__((noinline)) static int work(const char *what, const char *path)
{
	if (strcmp(what, "null") == 0)
		return *((volatile int *)(uintptr_t)zero + 2);
	if (strcmp(what, "divide") == 0)
		return 7 / zero;
	if (strcmp(what, "beyond") == 0)
		return beyond(path);
	if (strcmp(what, "deep") == 0)
		return deep((volatile char *)what);
	return forbid() ? 9 : (int)syscall(__NR_getppid);
}

int main(int argc, char **argv)
{
	return argc > 1 ? work(argv[1], argc > 2 ? argv[2] : "") + 1 : 2;
}
