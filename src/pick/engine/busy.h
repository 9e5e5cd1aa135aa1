/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the machine has a processor to spare. */
#ifndef EXECTRACE_SRC_PICK_ENGINE_BUSY_H
#define EXECTRACE_SRC_PICK_ENGINE_BUSY_H

#include <stdbool.h>

struct busy {
	int loadavg; /* /proc/loadavg (proc_loadavg(5)), open for good; < 0: it is not there */
	long processors;
};

void busy_init(struct busy *busy);

/* True when others than the calling thread run just now, but not on all processors. False when that is not known. */
bool busy_partly(const struct busy *busy);

#endif
