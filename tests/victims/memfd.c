/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memfd open|closed PROGRAM [ARG]...: executes a copy of PROGRAM that has no name (memfd_create(2)), by a descriptor
 * that the program keeps, or not. */
#include "victim.h"
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
	struct stat st;
	int from, to;

	if (argc < 3)
		usage("memfd open|closed PROGRAM [ARG]...");
	from = open(argv[2], O_RDONLY | O_CLOEXEC);
	to = memfd_create("nameless", strcmp(argv[1], "closed") == 0 ? MFD_CLOEXEC : 0);
	if (from < 0 || to < 0 || fstat(from, &st))
		die(argv[2]);
	while (lseek(to, 0, SEEK_CUR) < st.st_size) {
		if (sendfile(to, from, NULL, (size_t)st.st_size) <= 0)
			die("sendfile");
	}
	fexecve(to, argv + 2, environ);
	die("fexecve");
}
