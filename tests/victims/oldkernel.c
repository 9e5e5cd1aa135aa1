/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oldkernel [-e | -t] COMMAND [ARG]...
 * As on Linux before 6.15 a pidfd does not tell how its process has ended: ioctl refuses what begins with 0xff
 * (PIDFD_GET_INFO, ENOTTY). Without -e there are no process events either (NETLINK_CONNECTOR, EPROTONOSUPPORT), and
 * without -t no statistics of threads that end (taskstats: NETLINK_GENERIC), as in a container.
 */
#include "victim.h"
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff00),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xff00, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NETLINK_CONNECTOR, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NETLINK_GENERIC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPROTONOSUPPORT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	bool events = argc > 1 && strcmp(argv[1], "-e") == 0, statistics = argc > 1 && strcmp(argv[1], "-t") == 0;
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (events)
		code[9].k = UINT32_MAX;
	if (statistics)
		code[10].k = UINT32_MAX;
	argv += events || statistics;
	if (!argv[1])
		usage("oldkernel [-e | -t] COMMAND [ARG]...");
	if (geteuid() != 0)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		die("seccomp");
	execvp(argv[1], argv + 1);
	return 127;
}
