/* SPDX-License-Identifier: GPL-2.0-or-later */
/* readconf FILE: reads a file, some functions down; ends with 1 when it cannot. */
#include "victim.h"
#include <fcntl.h>

static __attribute__((noinline)) int read_config(const char *name)
{
	int fd = open(name, O_RDONLY);

	if (fd < 0)
		fprintf(stderr, "cannot read the configuration\n");
	return fd < 0;
}

static __attribute__((noinline)) int load(const char *name)
{
	int bad = read_config(name);

	return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		usage("readconf FILE");
	return load(argv[1]);
}
