/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feeder STATE: feeds /dev/dog every 100 ms, each time behind a look at STATE, which it locks for that. */
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static __attribute__((noinline)) void look(const char *path)
{
	char text[64];
	int fd = open(path, O_RDWR | O_CREAT, 0644);

	if (fd < 0 || flock(fd, LOCK_EX) || read(fd, text, sizeof(text)) < 0)
		_exit(1);
	close(fd);
}

int main(int argc, char **argv)
{
	int dog = open("/dev/dog", O_WRONLY);

	if (argc < 2 || dog < 0)
		return 1;
	for (;;) {
		look(argv[1]);
		if (write(dog, "", 1) != 1)
			return 1;
		usleep(100000);
	}
}
