/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording of processes of this machine begins with. */
#ifndef EXECTRACE_RECORD_COMMON_MACHINE_H
#define EXECTRACE_RECORD_COMMON_MACHINE_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>
#include <sys/types.h>
#include <sys/utsname.h>

struct machine {
	struct data_facts facts; /* its texts are in this struct: it stays where it is */
	struct utsname name;
	struct buf system;
};

/* Fills it for a recording of process pid that begins at `now` (CLOCK_MONOTONIC, ns), which was `wall`
 * (CLOCK_REALTIME). 0 or -errno; machine_release in any case. */
int machine_describe(struct machine *machine, pid_t pid, uint64_t now, uint64_t wall);

void machine_release(struct machine *machine);

#endif
