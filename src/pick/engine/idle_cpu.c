/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "idle_cpu.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void idle_cpu_init(struct idle_cpu *busy)
{
	busy->loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	busy->processors = sysconf(_SC_NPROCESSORS_ONLN);
}

bool idle_cpu_is_there(const struct idle_cpu *busy)
{
	char text[64];
	ssize_t n = pread(busy->loadavg, text, sizeof(text) - 1, 0);
	long running = 0; /* with the caller */

	if (n <= 0)
		return false;
	text[n] = '\0';
	return sscanf(text, "%*s %*s %*s %ld/", &running) == 1 && running > 1 && running <= busy->processors;
}
