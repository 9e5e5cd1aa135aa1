/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meterd: starts six meters, stops two of them half a second later, because nobody asks for them, and goes on for four
 * seconds with other things.
 */
#include <fcntl.h>
#include <meter.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static void rest(long ms)
{
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

static __attribute__((noinline)) void start_meter(int fd, int number)
{
	if (ioctl(fd, METER_START, &number))
		perror("METER_START");
}

static __attribute__((noinline)) void stop_meter(int fd, int number)
{
	if (ioctl(fd, METER_STOP, &number))
		perror("METER_STOP");
}

static __attribute__((noinline)) void serve(void)
{
	for (int i = 0; i < 40; i++)
		rest(100);
}

int main(void)
{
	int fd = open("/dev/meter", O_RDWR);

	for (int i = 0; i < 6; i++)
		start_meter(fd, i);
	rest(500);
	stop_meter(fd, 2);
	stop_meter(fd, 5);
	serve();
	close(fd);
	return 0;
}
