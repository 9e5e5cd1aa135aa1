/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * readconf FILE [LIBRARY]: reads a file, some functions down; ends with 1 when it cannot. With a library (plugged.c) it
 * looks at the file, loads the library, and reads the file from within that.
 */
#include "victim.h"
#include <dlfcn.h>
#include <fcntl.h>

static const char *file;
static int bad;

static __attribute__((noinline)) int read_config(const char *name)
{
	int fd = open(name, O_RDONLY);

	if (fd < 0)
		fprintf(stderr, "cannot read the configuration\n");
	return fd < 0;
}

static __attribute__((noinline)) int load(const char *name)
{
	int failed = read_config(name);

	return failed ? 1 : 0;
}

static void called(int n)
{
	bad = read_config(file) * n;
}

static __attribute__((noinline)) int load_with(const char *library)
{
	void (*plugged)(void (*)(int), int);
	void *handle;

	if (access(file, X_OK) == 0)
		return 2;
	handle = dlopen(library, RTLD_NOW);
	*(void **)&plugged = handle ? dlsym(handle, "plugged") : NULL;
	if (!plugged)
		die(dlerror());
	plugged(called, 1);
	return bad;
}

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 3)
		usage("readconf FILE [LIBRARY]");
	file = argv[1];
	return argc == 3 ? load_with(argv[2]) : load(argv[1]);
}
