/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Execs by processes with several threads. Threads may call execve at the same time, and one of them ends the others:
 * all are seen, one happens. Attempts from the same image of the same process are therefore one command.
 */
#ifndef EXECTRACE_SRC_PICK_SUPERVISE_ATTEMPTS_H
#define EXECTRACE_SRC_PICK_SUPERVISE_ATTEMPTS_H

#include <stdbool.h>
#include <sys/types.h>

#define ATTEMPTS_MAX 64u

struct attempts {
	unsigned char image[ATTEMPTS_MAX][16]; /* see process_image */
	pid_t pid[ATTEMPTS_MAX];
	unsigned at;
};

/* True when the process of thread tid is known to have tried before in its present image. */
bool attempts_known(const struct attempts *attempts, pid_t tid);

/* Remembers that it has. */
void attempts_note(struct attempts *attempts, pid_t tid);

#endif
