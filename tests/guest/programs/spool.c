/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spool FILE MEGABYTES: writes so much to it, as fast as it can. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char block[1 << 18];

static __attribute__((noinline)) int spool_block(int fd)
{
	return write(fd, block, sizeof(block)) == (ssize_t)sizeof(block) ? 0 : -1;
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[1], O_WRONLY | O_CREAT, 0600) : -1, left = argc > 2 ? atoi(argv[2]) * 4 : 0;

	memset(block, 'x', sizeof(block));
	while (left-- > 0) {
		if (spool_block(fd)) {
			perror("spool");
			return 1;
		}
	}
	return 0;
}
