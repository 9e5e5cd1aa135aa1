/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/launch/priority.h>

#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NICE_RECEIVER (-20)
#define NICE_SUPERVISOR (-15)
#define OOM_SURVIVES (-900)
#define SLICE (NS_PER_MS / 10) /* the shortest there is */

/* struct sched_attr of sched_setattr(2), of size 48; the kernel's header for it and <sched.h> exclude each other. */
struct turns {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime; /* ns */
	uint64_t deadline;
	uint64_t period;
};

/*
 * Who may ask for no better nice value asks for short turns: from Linux 6.12 on that is anybody's to choose, and one
 * with a shorter turn runs sooner after it is woken, for no more of the processor. Older kernels do not look at it.
 */
static void shorter_turns(void)
{
	struct turns turns = {.size = sizeof(turns), .policy = SCHED_OTHER, .runtime = SLICE};

	turns.flags = SCHED_FLAG_RESET_ON_FORK;
	turns.nice = getpriority(PRIO_PROCESS, 0);
	(void)syscall(SYS_sched_setattr, 0, &turns, 0);
}

static void nicer(int value)
{
	struct sched_param none = {0};

	if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none) || setpriority(PRIO_PROCESS, 0, value))
		shorter_turns();
}

void priority_receiver(bool urgent)
{
	struct sched_param param = {.sched_priority = 2};

	if (!urgent || sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		nicer(NICE_RECEIVER);
}

void priority_supervisor(void)
{
	nicer(NICE_SUPERVISOR);
}

/* True when it is that, or has become that. */
static bool lower_oom(int fd, int now, int value)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", value);

	return now <= value || pwrite(fd, text, (size_t)n, 0) == n;
}

void priority_survive(void)
{
	char text[16] = "";
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	int now = (int)strtol(text, NULL, 10);

	if (n > 0 && !lower_oom(fd, now, OOM_SURVIVES))
		(void)lower_oom(fd, now, 0);
	fd_close(&fd);
}
