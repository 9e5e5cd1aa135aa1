/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count FILE [WORD]...
 * Counts its own runs: adds one byte to FILE (O_APPEND, so none is lost) and ends. Static, so that thousands start
 * quickly.
 */
#include "victim.h"

int main(int argc, char **argv)
{
	int fd;

	if (argc < 2)
		usage("count FILE [WORD]...");
	fd = open(argv[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, "x", 1) != 1)
		die(argv[1]);
	return 0;
}
