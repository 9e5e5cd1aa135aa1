/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "receipts.h"

#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procself.h>
#include <sys/epoll.h>

int receipts_listen(int listener)
{
	struct epoll_event event = {.events = EPOLLOUT | EPOLLET};
	int fd = epoll_create1(EPOLL_CLOEXEC);
	int err = fd < 0 ? -errno : 0;

	if (!err && epoll_ctl(fd, EPOLL_CTL_ADD, listener, &event))
		err = -errno;
	if (err)
		fd_close(&fd);
	return err ? err : fd;
}

bool receipts_take(int fd)
{
	struct epoll_event event;

	return epoll_wait(fd, &event, 1, 0) == 1;
}

bool receipts_pending(const struct shared *shared)
{
	char state = proc_state(atomic_load(&shared->receiver));

	return state && state != 'S' && state != 'T' && state != 't';
}
