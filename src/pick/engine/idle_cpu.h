/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the machine has a processor to spare. */
#ifndef EXECTRACE_SRC_PICK_ENGINE_IDLE_CPU_H
#define EXECTRACE_SRC_PICK_ENGINE_IDLE_CPU_H

#include <stdbool.h>

struct idle_cpu {
	int loadavg; /* /proc/loadavg (proc_loadavg(5)), open for good; < 0: it is not there */
	long processors;
};

void idle_cpu_init(struct idle_cpu *busy);

/* True when others than the calling thread run just now, but not on all processors. False when that is not known. */
bool idle_cpu_is_there(const struct idle_cpu *busy);

#endif
