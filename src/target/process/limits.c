/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/limits.h>

#include <exectrace/base/cleanup.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX 4096 /* bytes of /proc/PID/limits */
#define NAME_WIDTH 25 /* its first column */

const char *const limit_names[LIMITS] = {"CPU",      "FSIZE",  "DATA",    "STACK", "CORE",  "RSS",
                                         "NPROC",    "NOFILE", "MEMLOCK", "AS",    "LOCKS", "SIGPENDING",
                                         "MSGQUEUE", "NICE",   "RTPRIO",  "RTTIME"};

/* A number, or "unlimited". */
static rlim_t limit_of(const char **text)
{
	char *end;
	rlim_t limit = strtoull(*text, &end, 10);

	if (end == *text)
		limit = RLIM_INFINITY;
	*text += strspn(*text, " ");
	*text += strcspn(*text, " \n");
	return limit;
}

/* A line for each, in their order, below one of titles: name, soft limit, hard limit (proc_pid_limits(5)). */
bool limits_parse(struct rlimit limits[LIMITS], const char *text)
{
	for (size_t i = 0; i < LIMITS; i++) {
		text += strcspn(text, "\n");
		text += *text == '\n';
		if (strcspn(text, "\n") <= NAME_WIDTH)
			return false;
		text += NAME_WIDTH;
		limits[i].rlim_cur = limit_of(&text);
		limits[i].rlim_max = limit_of(&text);
	}
	return true;
}

static bool read_file(struct rlimit limits[LIMITS], pid_t pid)
{
	cleanup_fd int fd = proc_open(pid, "limits", O_RDONLY);
	char text[FILE_MAX];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return false;
	text[n] = '\0';
	return limits_parse(limits, text);
}

/* prlimit(2) is refused to root without CAP_SYS_RESOURCE, as in containers, when the process is another user's. */
bool limits_read(struct rlimit limits[LIMITS], pid_t pid)
{
	for (size_t i = 0; i < LIMITS; i++)
		if (prlimit(pid, (__rlimit_resource_t)i, NULL, &limits[i]))
			return read_file(limits, pid);
	return true;
}
