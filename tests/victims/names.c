/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names [COMM [FILE]...]: calls itself COMM (prctl(2)) and tries to open each FILE, in a function whose name the tests
 * replace by other bytes of the same length, as a hostile program's symbols may be anything.
 */
#include "victim.h"
#include <sys/prctl.h>

__attribute__((noinline)) int symbol_that_is_replaced_by_others(const char *name);
int symbol_that_is_replaced_by_others(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		prctl(PR_SET_NAME, argv[1]);
	for (int i = 2; i < argc; i++)
		(void)symbol_that_is_replaced_by_others(argv[i]);
	return 0;
}
