/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/process/usage.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/exec/usage.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STATUS_BYTES 32768 /* of status that are looked at: room for thousands of groups */
#define IO_BYTES 512

/* The clocks of a process, as the low bits of a clockid_t have them (linux/posix-timers.h, CPUCLOCK_*). */
enum cpu_clock { CLOCK_BOTH, CLOCK_USER, CLOCK_EXACT };

static int read_clock(pid_t pid, enum cpu_clock which, uint64_t *ns)
{
	struct timespec t;

	if (clock_gettime((clockid_t)(~(unsigned)pid << 3 | which), &t))
		return -ESRCH; /* EINVAL: there is no such process */
	*ns = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
	return 0;
}

int usage_cpu(pid_t pid, struct exec_usage *usage)
{
	uint64_t both, user, exact;

	if (pid <= 0 || read_clock(pid, CLOCK_USER, &user) || read_clock(pid, CLOCK_BOTH, &both) ||
	    read_clock(pid, CLOCK_EXACT, &exact))
		return -ESRCH;
	exec_usage_set_cpu(usage, exact, user, both > user ? both - user : 0);
	return 0;
}

static long slurp(pid_t pid, const char *name, char *text, size_t max)
{
	cleanup_fd int fd = proc_open(pid, name, O_RDONLY);
	long n = fd < 0 ? fd : fd_read_all(fd, text, max - 1);

	text[n < 0 ? 0 : n] = 0;
	return n;
}

static bool number_of(const char *text, const char *name, uint64_t *value)
{
	const char *at = strstr(text, name);
	char *end = NULL;

	if (!at)
		return false;
	at += strlen(name);
	*value = strtoull(at, &end, 10);
	return end != at;
}

static int read_io(pid_t pid, const char *name, uint64_t *read, uint64_t *written)
{
	char text[IO_BYTES];
	long n = slurp(pid, name, text, sizeof(text));

	if (n < 0)
		return (int)n;
	return number_of(text, "rchar: ", read) && number_of(text, "wchar: ", written) ? 0 : -ENODATA;
}

int usage_io(pid_t pid, pid_t tid, uint64_t *read, uint64_t *written)
{
	char name[32];

	snprintf(name, sizeof(name), "task/%d/io", (int)tid);
	return read_io(pid, name, read, written);
}

uint64_t usage_peak(pid_t tid)
{
	char text[STATUS_BYTES];
	uint64_t kib = 0;

	if (slurp(tid, "status", text, sizeof(text)) < 0 || !number_of(text, "\nVmHWM:", &kib))
		return 0;
	return kib << 10;
}

int usage_zombie_io(pid_t pid, struct exec_usage *usage)
{
	uint64_t read = 0, written = 0, all_read = 0, all_written = 0;
	int err = usage_io(pid, pid, &read, &written);

	if (!err)
		err = read_io(pid, "io", &all_read, &all_written);
	if (!err && (all_read != read || all_written != written))
		err = -ENODATA;
	if (err)
		return err;
	usage->io = true;
	usage->read = read;
	usage->written = written;
	return 0;
}

int usage_run(pid_t pid, pid_t tid, uint64_t *ns)
{
	char path[64], text[64], *end = NULL;
	cleanup_fd int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	*ns = strtoull(text, &end, 10);
	return end == text ? -ENODATA : 0;
}
