/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which descriptors a process has used and closed, since its last exec. */
#ifndef EXECTRACE_SRC_ANSWER_PROCESSES_USES_H
#define EXECTRACE_SRC_ANSWER_PROCESSES_USES_H

#include <exectrace/answer/recording/recording.h>

#define USES_MAX 256 /* descriptors below that are looked at */

/* Bits by descriptor. One that was closed is another one from then on. */
struct uses {
	uint64_t used[USES_MAX / 64], closed[USES_MAX / 64];
	bool detailed; /* calls with descriptors were recorded */
};

void uses_set(uint64_t *bits, int fd);
bool uses_has(const uint64_t *bits, int fd);

/* Takes a call. 0 or -ENOMEM. */
int uses_take(struct uses *uses, const struct data_syscall *call);

#endif
