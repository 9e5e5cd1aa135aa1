/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/action/exit_watch.h>

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/pidfd.h>
#include <exectrace/target/exec/usage.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/process/usage.h>
#include <poll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A new descriptor has the lowest number that is free: so none of the highest is ever used up here. */
static int open_below(struct exit_watch *watch, pid_t pid, unsigned leave)
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

int exit_watch_open(struct exit_watch *watch, pid_t pid)
{
	return open_below(watch, pid, WATCH_LEAVES);
}

int exit_watch_open_spare(struct exit_watch *watch, pid_t pid)
{
	return open_below(watch, pid, WATCH_SPARE_LEAVES);
}

void exit_watch_usage(const struct exit_watch *watch, struct exec_end *end)
{
	struct exec_usage used = {0};

	if (!end->usage.cpu) /* what takes the least first */
		(void)usage_cpu(watch->pid, &used);
	if (!end->usage.io)
		(void)usage_zombie_io(watch->pid, &used);
	if (pidfd_exists(watch->fd)) /* so no other process had its number yet */
		exec_usage_complete(&end->usage, &used);
}

void exit_watch_cpu(const struct exit_watch *watch, struct exec_usage *usage)
{
	*usage = (struct exec_usage){0};
	if (watch->fd >= 0 && usage_cpu(watch->pid, usage) == 0 && !pidfd_exists(watch->fd))
		*usage = (struct exec_usage){0};
}

static void look_at_status(const struct exit_watch *watch, struct exec_end *end)
{
	const struct timespec moment = {.tv_nsec = 200000};
	int err = -EAGAIN;

	/* Between zombie and reaped there is a moment when neither tells. */
	for (int i = 0; i < 3 && !end->known && err == -EAGAIN; i++) {
		if (i)
			nanosleep(&moment, NULL);
		end->known = proc_zombie_status(watch->pid, &end->wait_status) == 0;
		if (!end->known)
			err = pidfd_exit_status(watch->fd, &end->wait_status);
		end->known |= err == 0;
	}
}

bool exit_watch_ended(const struct exit_watch *watch)
{
	struct pollfd fd = {.fd = watch->fd, .events = POLLIN};

	return watch->fd >= 0 && poll(&fd, 1, 0) == 1;
}

bool exit_watch_look(struct exit_watch *watch, struct exec_end *end)
{
	if (!exit_watch_ended(watch))
		return false;
	end->ended = true;
	end->when = clock_now();
	exit_watch_usage(watch, end); /* first: its parent may reap it at any moment */
	look_at_status(watch, end);
	return true;
}

void exit_watch_close(struct exit_watch *watch)
{
	fd_close(&watch->fd);
}
