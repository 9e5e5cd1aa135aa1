/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/yama.h>

#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool capable(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return syscall(SYS_capget, &head, data) == 0 && (data[0].effective & (1u << CAP_SYS_PTRACE));
}

static int read_scope(void)
{
	cleanup_fd int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
	char digit = '0';

	if (fd >= 0 && fd_read_all(fd, &digit, 1) == 1 && digit >= '0' && digit <= '3')
		return digit - '0';
	return 0;
}

enum yama yama_restricts(int *scope)
{
	int value = read_scope();

	if (scope)
		*scope = value;
	if (value == 0 || (value < 3 && capable()))
		return YAMA_ANY;
	return value == 1 ? YAMA_DESCENDANTS : YAMA_NOBODY;
}

static bool descends_from_us(pid_t tid)
{
	struct proc_stat stat = {.ppid = tid};

	while (stat.ppid > 0 && stat.ppid != getpid())
		if (proc_stat(stat.ppid, &stat))
			return false;
	return stat.ppid > 0;
}

/* That link is shown to who may read the process (PTRACE_MODE_READ), at which Yama does not look. */
bool yama_refuses(pid_t tid)
{
	cleanup_buf struct buf exe = BUF_INIT;

	return proc_link(tid, "exe", &exe) == 0 && !descends_from_us(tid);
}
