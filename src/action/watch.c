/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/action/watch.h>

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/tracee/procfs.h>
#include <poll.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Of linux/pidfd.h of Linux 6.15: the first version of the struct, with exit_code. */
struct info {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t pid, tgid, ppid;
	uint32_t ids[8];
	int32_t exit_code;
};

#define PIDFD_GET_INFO _IOWR(0xFF, 11, struct info)
#define PIDFD_INFO_EXIT (UINT64_C(1) << 3)

/* A new descriptor has the lowest number that is free: so none of the highest is ever used up here. */
static int open_below(struct watch *watch, pid_t pid, unsigned leave)
{
	struct rlimit limit;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	watch->pid = pid;
	watch->fd = -1;
	fd = fd < 0 ? -errno : fd_high(fd);
	if (fd < 0)
		return fd;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)fd + leave >= limit.rlim_cur) {
		close(fd);
		return -EMFILE;
	}
	watch->fd = fd;
	return 0;
}

int watch_open(struct watch *watch, pid_t pid)
{
	return open_below(watch, pid, WATCH_LEAVES);
}

int watch_open_spare(struct watch *watch, pid_t pid)
{
	return open_below(watch, pid, WATCH_SPARE_LEAVES);
}

/* 0; -EAGAIN when it may be told in a moment; -ENOTSUP when it will not be: Linux before 6.15. */
static int reaped_status(int fd, int *status)
{
	struct info info = {.mask = PIDFD_INFO_EXIT};

	if (ioctl(fd, PIDFD_GET_INFO, &info))
		return -ENOTSUP;
	if (!(info.mask & PIDFD_INFO_EXIT))
		return -EAGAIN;
	*status = info.exit_code;
	return 0;
}

bool watch_look(struct watch *watch, struct exec_end *end)
{
	const struct timespec moment = {.tv_nsec = 200000};
	struct pollfd fd = {.fd = watch->fd, .events = POLLIN};
	int err = -EAGAIN;

	if (watch->fd < 0 || poll(&fd, 1, 0) != 1)
		return false;
	end->ended = true;
	end->when = clock_now();
	/* Between zombie and reaped there is a moment when neither tells. */
	for (int i = 0; i < 3 && !end->known && err == -EAGAIN; i++) {
		if (i)
			nanosleep(&moment, NULL);
		end->known = proc_zombie_status(watch->pid, &end->wait_status) == 0;
		if (!end->known)
			err = reaped_status(watch->fd, &end->wait_status);
		end->known |= err == 0;
	}
	return true;
}

void watch_close(struct watch *watch)
{
	fd_close(&watch->fd);
}
