/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a pid is still the process that it was, and whose child it is. Asked at every exec, so it is asked of pidfds,
 * a few of which are kept: a look into /proc of a process that nobody has looked at costs three times as much.
 */
#ifndef EXECTRACE_SRC_TARGET_PROCESS_IDENTITY_H
#define EXECTRACE_SRC_TARGET_PROCESS_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define IDENTITIES 16    /* pidfds that are kept */
#define IDENTITIES_FEW 2 /* ... where descriptors are few */

/* One that is known; fd < 0: no one. */
struct identity {
	pid_t pid;
	int fd;
	uint64_t id;
};

struct identities {
	/* What pidfds tell (PIDFD_GET_INFO, Linux 6.13); else /proc is read, once for each that is not known. */
	bool tell;
	struct identity known[IDENTITIES];
	unsigned kept; /* as many may be */
	unsigned next; /* which one is forgotten next */
};

void identities_init(struct identities *ids);
void identities_release(struct identities *ids);

/* A number that no other process has for as long as the machine runs. 0 when there is no process of that pid. */
uint64_t identities_id(struct identities *ids, pid_t pid);

/* The parent of a process, 0 when it is not visible or the process is gone. */
pid_t identities_parent(struct identities *ids, pid_t pid);

#endif
