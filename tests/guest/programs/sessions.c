/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sessions N: starts N processes, which end at once, and waits for none of them. It closes a file again and again. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
		if (!fork())
			_exit(0);
	for (int i = 0; i < 4; i++) {
		int fd = open("/init", O_RDONLY);

		close(fd);
		close(fd);
	}
	sleep(1);
	close(open("/run/sessions", O_CREAT | O_WRONLY, 0600));
	pause();
	return 0;
}
