/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/pidfd.h>

#include <errno.h>
#include <exectrace/base/fd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The first version of struct pidfd_info (include/uapi/linux/pidfd.h, Linux 6.13), which all later ones begin with. */
struct pidfd_info {
	uint64_t mask, cgroup;
	uint32_t pid, tgid, ppid, ids[8];
	int32_t exit_code;
};

#define GET_INFO _IOWR(0xff, 11, struct pidfd_info)
#define INFO_PID (1u << 0)
#define INFO_EXIT (1u << 3) /* Linux 6.15 */

int pidfd_of(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd_high(fd);
}

int pidfd_fetch(int fd, int number)
{
	int got = (int)syscall(SYS_pidfd_getfd, fd, number, 0);

	return got < 0 ? -errno : fd_high(got);
}

bool pidfd_exists(int fd)
{
	return fd >= 0 && (syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0 || errno == EPERM);
}

int pidfd_parent(int fd, pid_t *parent)
{
	struct pidfd_info info = {.mask = INFO_PID};

	if (ioctl(fd, GET_INFO, &info))
		return -errno;
	*parent = (pid_t)info.ppid;
	return 0;
}

int pidfd_exit_status(int fd, int *status)
{
	struct pidfd_info info = {.mask = INFO_EXIT};

	if (ioctl(fd, GET_INFO, &info))
		return -ENOTSUP;
	if (!(info.mask & INFO_EXIT))
		return -EAGAIN;
	*status = info.exit_code;
	return 0;
}
