/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * denied ERRNO CALL[,CALL...] COMMAND [ARGUMENT...]
 * Runs COMMAND where a seccomp filter lets system calls fail with that errno, as a sandbox or an old kernel does: EPERM
 * or ENOSYS; openat2, process_vm_readv, process_vm_writev. Without no_new_privs where that is possible.
 */
#include "victim.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define CALLS_MAX 8

static const struct {
	const char *name;
	uint32_t nr;
} known[] = {
	{"openat2", SYS_openat2},
	{"process_vm_readv", SYS_process_vm_readv},
	{"process_vm_writev", SYS_process_vm_writev},
	{"epoll_create1", SYS_epoll_create1},
};

static uint32_t number(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, name) == 0)
			return known[i].nr;
	}
	usage("denied EPERM|ENOSYS CALL[,CALL...] COMMAND [ARGUMENT...]");
}

int main(int argc, char **argv)
{
	struct sock_filter code[2 * CALLS_MAX + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog program = {1, code};
	uint32_t answer = SECCOMP_RET_ERRNO | (argc > 1 && strcmp(argv[1], "EPERM") == 0 ? EPERM : ENOSYS);

	if (argc < 4)
		usage("denied EPERM|ENOSYS CALL[,CALL...] COMMAND [ARGUMENT...]");
	for (char *name = strtok(argv[2], ","); name && program.len < 2 * CALLS_MAX; name = strtok(NULL, ",")) {
		code[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number(name), 0, 1);
		code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
			die("seccomp");
	}
	execvp(argv[3], argv + 3);
	die(argv[3]);
}
