/* SPDX-License-Identifier: GPL-2.0-or-later */
/* services FILE: takes for granted that FILE has a line, and dies of an empty one. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static __attribute__((noinline)) const char *first_line(const char *path)
{
	static char text[256];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	return n > 0 ? text : NULL;
}

int main(int argc, char **argv)
{
	const volatile char *line = first_line(argc > 1 ? argv[1] : "");

	return *line == '#';
}
