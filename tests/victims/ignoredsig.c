/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ignoredsig
 * A signal that is ignored by default must not interrupt a system call. Sends itself such signals (SIGCHLD, SIGURG,
 * SIGWINCH) while it waits in epoll_wait, and prints what that returned.
 */
#include "victim.h"
#include <sys/epoll.h>

int main(void)
{
	static const int signals[] = {SIGCHLD, SIGURG, SIGWINCH};
	struct epoll_event event;
	int fd = epoll_create1(EPOLL_CLOEXEC), ret;
	pid_t parent = getpid(), pid;
	size_t i;

	for (i = 0; i < 3; i++) {
		pid = fork();
		if (pid == 0) {
			sleep_ms(50);
			kill(parent, signals[i]);
			sleep_ms(150);
			_exit(0);
		}
		ret = epoll_wait(fd, &event, 1, 120);
		printf("signal %d: %s\n", signals[i], ret < 0 ? errno_name(errno) : "waited to the end");
		wait_status(pid);
	}
	return 0;
}
