/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files and addresses that a process had to do with by calls that succeeded: what two runs are compared by. */
#ifndef EXECTRACE_ANSWER_STORY_STATE_ACCESSES_H
#define EXECTRACE_ANSWER_STORY_STATE_ACCESSES_H

#include <exectrace/answer/story/state/objects.h>

enum access_kind {
	ACCESS_READ,  /* opened, not to write */
	ACCESS_WRITE, /* opened to write */
	ACCESS_MAKE,  /* mkdir, symlink, the new name of a rename, ... */
	ACCESS_REMOVE,
	ACCESS_BIND,
	ACCESS_CONNECT,
};

struct access {
	uint64_t time; /* when the call returned, ns, as events have it */
	uint32_t object;
	enum access_kind kind;
};

/* In the order of time, nearly without repetitions. All 0 at first. */
struct accesses {
	struct access *items;
	size_t n, cap;
};

/* Adds one; beyond some ten thousand they are dropped. 0 or -ENOMEM. */
int accesses_add(struct accesses *accesses, const struct access *access);

void accesses_release(struct accesses *accesses);

#endif
