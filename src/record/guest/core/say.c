/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/core/say.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void plugin_say(const char *fmt, ...)
{
	char line[512] = "exectrace-guest: ";
	size_t n = strlen(line);
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(line + n, sizeof(line) - n - 1, fmt, args);
	va_end(args);
	n = strlen(line);
	line[n++] = '\n';
	(void)!write(STDERR_FILENO, line, n);
}
