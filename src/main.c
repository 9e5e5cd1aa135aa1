/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/cli/dispatch.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * Makes sure that no file we open becomes standard input, output or error. What stands in for a closed one is closed
 * again by every exec, so the command sees what we were given; and it is opened the wrong way round, so that using it
 * fails as using a closed one does.
 */
static void keep_standard_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			fd_null(fd, (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	(void)argc;
	keep_standard_fds();
	return dispatch(argv);
}
