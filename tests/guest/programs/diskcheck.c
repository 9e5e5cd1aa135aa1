/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskcheck NUMBER: that many requests on each queue of /dev/queues, by a process for each queue. */
#include <fcntl.h>
#include <queues.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) int submit(int fd, int queue)
{
	return ioctl(fd, QUEUES_SUBMIT, &queue);
}

static __attribute__((noinline)) int check_queue(int fd, int queue, int requests)
{
	for (int i = 0; i < requests; i++)
		if (submit(fd, queue))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	int fd = open("/dev/queues", O_RDWR), requests = argc > 1 ? atoi(argv[1]) : 1, status, failed = 0;

	for (int i = 0; i < QUEUES_COUNT; i++)
		if (fork() == 0)
			_exit(check_queue(fd, i, requests));
	while (wait(&status) > 0)
		failed += status != 0;
	printf("%d queues failed\n", failed);
	return failed != 0;
}
