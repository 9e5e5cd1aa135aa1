/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawner FILE
 * One thread waits in vfork(2) for children that live 150 ms each, while the first one is in calls that fail with EINTR
 * for any signal that is not ignored when it is sent (signal(7)). Prints its pid; until FILE exists. Then: how many
 * children there were, and how many of the calls were interrupted.
 */
#include "victim.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#define LIFE 150000 /* us */

static atomic_bool over;
static unsigned children;

static void *spawn(void *arg)
{
	(void)arg;
	while (!atomic_load(&over)) {
		pid_t pid = vfork();

		if (pid == 0) {
			usleep(LIFE);
			_exit(0);
		}
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
		}
		children++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;
	unsigned interrupted = 0;
	pthread_t spawner;

	if (argc != 2)
		usage("spawner FILE");
	printf("%d\n", (int)getpid());
	fflush(stdout);
	pthread_create(&spawner, NULL, spawn, NULL);
	while (access(argv[1], F_OK))
		interrupted += epoll_wait(epoll, &event, 1, 10) < 0;
	atomic_store(&over, true);
	pthread_join(spawner, NULL);
	printf("children: %s, interrupted: %u\n", children ? "some" : "none", interrupted);
	return 0;
}
