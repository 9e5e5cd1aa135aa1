/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Execs that were deferred (engine_defer), in the order in which they came. */
#ifndef EXECTRACE_SRC_PICK_ENGINE_DEFERRED_H
#define EXECTRACE_SRC_PICK_ENGINE_DEFERRED_H

#include <exectrace/pick/launch/shared.h>
#include <stdbool.h>
#include <stddef.h>

/* By what names them for engine_describe: their slots, or the keys of those that stand at their exec (seized.h). */
struct deferred {
	void **keys;
	size_t n, cap;
	size_t again; /* of them, still to be reported again */
};

/* Adds one. 0 or -ENOMEM. */
int deferred_add(struct deferred *deferred, void *key);

/*
 * One that is to be reported again, which is taken off; NULL: none. retry: all that are there now are to be, each only
 * once, for it may be deferred again.
 */
void *deferred_next(struct deferred *deferred, bool retry);

/* Takes off one that has ended, if it is there. */
void deferred_drop(struct deferred *deferred, const void *key);

#endif
