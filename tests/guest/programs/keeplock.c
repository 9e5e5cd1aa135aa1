/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeplock FILE PROGRAM [ARGUMENT...]: executes a program that has a lock on FILE without knowing. */
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[1], O_RDWR | O_CREAT, 0644) : -1;

	if (fd < 0 || flock(fd, LOCK_EX))
		return 1;
	execvp(argv[2], argv + 2);
	return 127;
}
