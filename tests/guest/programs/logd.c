/* SPDX-License-Identifier: GPL-2.0-or-later */
/* logd MEGABYTES: a daemon that uses so much memory, makes /run/logd, and then waits for its end. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 1) << 20;
	volatile char *buffer = malloc(size);

	if (!buffer)
		return 1;
	for (size_t i = 0; i < size; i += 4096)
		buffer[i] = 1;
	(void)mkdir("/run/logd", 0700);
	for (;;)
		sleep(1);
}
