/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The locks on files that processes have, as their calls tell (flock(2), fcntl(2)). */
#ifndef EXECTRACE_ANSWER_STORY_STATE_LOCKS_H
#define EXECTRACE_ANSWER_STORY_STATE_LOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOCKS_MAX 256u /* that are kept, the newest */

enum lock_kind {
	LOCK_BY_FLOCK,   /* of an open file description, by flock(2), */
	LOCK_BY_FILE,    /* by F_OFD_SETLK, */
	LOCK_BY_PROCESS, /* of a process, by F_SETLK: the first close of the file ends it */
};

struct file_lock {
	enum lock_kind kind;
	bool shared;
	uint32_t object;  /* the file (objects.h) */
	uint32_t process; /* number of the process that locked it */
	uint32_t file;    /* the open file description (struct descriptor); 0: unknown */
	uint64_t time;    /* when, ns */
};

/* In the order of time. All 0 at first. */
struct locks {
	struct file_lock *items;
	size_t n, cap;
};

/* A lock was got. One that it replaces is gone, as are all others where it is exclusive. 0 or -ENOMEM. */
int locks_add(struct locks *locks, const struct file_lock *lock);

/* The lock was given back, if there is one. */
void locks_drop(struct locks *locks, const struct file_lock *lock);

/* True when there is such a lock already: of the process, or of the open file description. */
bool locks_have(const struct locks *locks, const struct file_lock *lock);

/* A process has closed a file. */
void locks_closed(struct locks *locks, uint32_t process, uint32_t object);

void locks_release(struct locks *locks);

#endif
