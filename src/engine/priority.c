/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "priority.h"

#include <sched.h>
#include <sys/resource.h>

#define NICE_RECEIVER (-20)
#define NICE_SUPERVISOR (-15)

static void nicer(int value)
{
	struct sched_param none = {0};

	if (sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none) == 0)
		(void)setpriority(PRIO_PROCESS, 0, value);
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
