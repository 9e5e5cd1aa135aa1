/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the notify engine share. */
#ifndef EXECTRACE_SRC_PICK_ENGINE_NOTIFY_H
#define EXECTRACE_SRC_PICK_ENGINE_NOTIFY_H

#include "deferred.h"
#include "forward.h"
#include "private.h"
#include "receiver.h"

#define NOTIFY_BATCH 64u

struct notify {
	struct engine common;      /* first */
	struct receiver receiver;  /* of the command's tree: source 0 */
	struct receiver **adopted; /* of what ran already: source 1 and up. Each is its own memory */
	size_t n_adopted, cap;
	size_t ended;     /* of those */
	struct slot *now; /* of the exec reported last */
	uint64_t handed;  /* id of what a fast_path has described last and not settled: its record is still good */
	uint16_t queue[NOTIFY_BATCH]; /* received, not yet looked at */
	size_t queued;
	size_t at;
	struct deferred deferred;
	struct forward forward;
};

static inline struct notify *notify_of(struct engine *engine)
{
	return (struct notify *)engine;
}

/* In a receiver's thread: looks at a call; see receiver.h. */
enum decided notify_fast_path(struct receiver *receiver, struct slot *slot);

/* notify_sources.c: all listeners together. For the first four see struct engine_ops. */
int notify_adopt(struct engine *engine, pid_t pid, uint64_t *since);
bool notify_finished(struct engine *engine);
bool notify_lives_on(struct engine *engine);
void notify_end(struct engine *engine);

/* The listener that a slot's call is from. */
int notify_listener(const struct notify *notify, const struct slot *slot);

/* Answers a call (listener_give), or has the keeper do that. */
void notify_give(struct notify *notify, struct slot *slot, int answer);

/* Lets it go on. */
void notify_go_on(struct notify *notify, struct slot *slot);

/* Adds up what the receivers have counted. */
void notify_count(struct notify *notify);

#endif
