/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps its C library a second time, as text, as programs do that interpret others (valgrind); makes many calls; prints
 * "untouched" when the text of that mapping is still that of the file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CALLS 400

int main(void)
{
	char byte, *text, *file;
	struct stat st;
	Dl_info info;
	int fd, zero = open("/dev/zero", O_RDONLY);

	if (!dladdr((void *)(unsigned long)&getppid, &info) || (fd = open(info.dli_fname, O_RDONLY)) < 0 ||
	    fstat(fd, &st))
		return 2;
	text = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	file = malloc((size_t)st.st_size);
	if (text == MAP_FAILED || !file || pread(fd, file, (size_t)st.st_size, 0) != st.st_size)
		return 3;
	for (int i = 0; i < CALLS; i++)
		if (getppid() < 0 || read(zero, &byte, 1) != 1)
			return 4;
	puts(memcmp(text, file, (size_t)st.st_size) == 0 ? "untouched" : "changed");
	return 0;
}
