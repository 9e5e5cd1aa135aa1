/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "receipts.h"

#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procself.h>
#include <sys/epoll.h>

int receipts_listen(void)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);

	return fd < 0 ? -errno : fd_high(fd);
}

int receipts_add(int fd, int listener)
{
	struct epoll_event event = {.events = EPOLLOUT | EPOLLET};

	return epoll_ctl(fd, EPOLL_CTL_ADD, listener, &event) ? -errno : 0;
}

bool receipts_take(int fd)
{
	struct epoll_event event;

	return epoll_wait(fd, &event, 1, 0) == 1;
}

bool receipts_pending(const struct shared *shared)
{
	pid_t receiver = atomic_load(&shared->receiver);
	char state = receiver ? proc_state(receiver) : 0;

	for (unsigned i = 0; i < atomic_load(&shared->used); i++) {
		const struct slot *slot = &shared->slot[i];

		if (slot->source && atomic_load(&slot->busy) == SLOT_USED && !slot->notif.id)
			return true;
	}
	return state && state != 'S' && state != 'T' && state != 't';
}
