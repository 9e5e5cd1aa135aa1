/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/waiting.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* They are the last words of the line; that of a thread which runs has only one. */
int proc_waits_at(pid_t tid, uint64_t *sp, uint64_t *pc)
{
	cleanup_fd int fd = proc_open(tid, "syscall", O_RDONLY);
	char text[256] = "";
	char *last = NULL;
	long n = fd < 0 ? fd : fd_read_all(fd, text, sizeof(text) - 1);

	if (n < 0)
		return (int)n;
	last = strrchr(text, ' ');
	if (!last)
		return -EAGAIN;
	*pc = strtoull(last, NULL, 16);
	*last = '\0';
	last = strrchr(text, ' ');
	if (!last)
		return -EAGAIN;
	*sp = strtoull(last, NULL, 16);
	return 0;
}
