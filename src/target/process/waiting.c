/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/waiting.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Of a thread in the kernel. */
struct place {
	long nr;
	uint64_t sp, pc;
};

/* The last word of a text, which is cut off there. */
static uint64_t cut_last(char *text)
{
	char *last = strrchr(text, ' ');

	if (!last)
		return 0;
	*last = '\0';
	return strtoull(last + 1, NULL, 16);
}

/* The line of a thread that runs has one word, which is no number. */
static int look(pid_t tid, struct place *place)
{
	cleanup_fd int fd = proc_open(tid, "syscall", O_RDONLY);
	char text[256] = "";
	char *end = text;
	long n = fd < 0 ? fd : fd_read_all(fd, text, sizeof(text) - 1);

	if (n < 0)
		return (int)n;
	place->nr = strtol(text, &end, 10);
	if (end == text)
		return -EAGAIN;
	place->pc = cut_last(text);
	place->sp = cut_last(text);
	return 0;
}

int proc_syscall(pid_t tid, long *nr, uint64_t *pc)
{
	struct place place = {.nr = -1};
	int err = look(tid, &place);

	if (err)
		return err;
	*nr = place.nr;
	*pc = place.pc;
	return 0;
}

int proc_waits_at(pid_t tid, uint64_t *sp, uint64_t *pc)
{
	struct place place = {.nr = -1};
	int err = look(tid, &place);

	if (err)
		return err;
	*sp = place.sp;
	*pc = place.pc;
	return 0;
}
