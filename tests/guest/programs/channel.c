/* SPDX-License-Identifier: GPL-2.0-or-later */
/* channel [--raw] NUMBER GAIN: sets up a channel of /dev/mixer; channel --run: starts the mixer. */
#include <fcntl.h>
#include <mixer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

static __attribute__((noinline)) int set_gain(int fd, const struct mixer_gain *gain)
{
	return ioctl(fd, MIXER_SET_GAIN, gain);
}

int main(int argc, char **argv)
{
	int fd = open("/dev/mixer", O_RDWR), raw = argc > 1 && strcmp(argv[1], "--raw") == 0;
	struct mixer_gain gain = {.flags = raw ? MIXER_RAW : 0};

	if (argc == 2 && strcmp(argv[1], "--run") == 0)
		return ioctl(fd, MIXER_RUN) != 0;
	if (argc != 3 + raw) {
		fprintf(stderr, "usage: channel [--raw] NUMBER GAIN\n");
		return 2;
	}
	gain.channel = (unsigned)atoi(argv[1 + raw]);
	gain.gain = (unsigned)atoi(argv[2 + raw]);
	return set_gain(fd, &gain) != 0;
}
