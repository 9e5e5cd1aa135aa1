/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/action/watch.h>

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/pidfd.h>
#include <exectrace/target/process/procfs.h>
#include <poll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A new descriptor has the lowest number that is free: so none of the highest is ever used up here. */
static int open_below(struct watch *watch, pid_t pid, unsigned leave)
{
	struct rlimit limit;
	int fd = pidfd_of(pid);

	watch->pid = pid;
	watch->fd = -1;
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
			err = pidfd_exit_status(watch->fd, &end->wait_status);
		end->known |= err == 0;
	}
	return true;
}

void watch_close(struct watch *watch)
{
	fd_close(&watch->fd);
}
