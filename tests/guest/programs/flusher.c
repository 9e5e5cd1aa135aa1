/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flusher: flushes /dev/abba each 30 ms, a hundred times. */
#include <abba.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>

static __attribute__((noinline)) int flush_device(int fd)
{
	return ioctl(fd, ABBA_FLUSH);
}

int main(void)
{
	const struct timespec pause = {.tv_nsec = 30000000};
	int fd = open("/dev/abba", O_RDWR);

	for (int i = 0; i < 100; i++) {
		if (flush_device(fd)) {
			perror("ABBA_FLUSH");
			return 1;
		}
		nanosleep(&pause, NULL);
	}
	return 0;
}
