/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refuse NUMBER ERRNO COMMAND [ARGUMENT...]: runs it where one system call always fails, as in a sandbox or where
 * something is short.
 */
#include "victim.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int main(int argc, char **argv)
{
	unsigned number = argc > 3 ? (unsigned)atoi(argv[1]) : 0;
	unsigned error = argc > 3 ? (unsigned)atoi(argv[2]) : 0;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (argc < 4)
		return 99;
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) &&
	    (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)))
		return 99;
	execvp(argv[3], argv + 3);
	return 98;
}
