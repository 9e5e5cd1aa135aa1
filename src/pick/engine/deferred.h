/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Execs that were deferred (engine_defer), in the order in which they came. */
#ifndef EXECTRACE_SRC_PICK_ENGINE_DEFERRED_H
#define EXECTRACE_SRC_PICK_ENGINE_DEFERRED_H

#include <exectrace/pick/launch/shared.h>
#include <stdbool.h>
#include <stddef.h>

struct deferred {
	struct slot *slot[SLOTS];
	size_t n;
	size_t again; /* of them, still to be reported again */
};

/* Adds one: there is room for each slot. */
void deferred_add(struct deferred *deferred, struct slot *slot);

/*
 * One that is to be reported again, which is taken off; NULL: none. retry: all that are there now are to be, each only
 * once, for it may be deferred again.
 */
struct slot *deferred_next(struct deferred *deferred, bool retry);

#endif
