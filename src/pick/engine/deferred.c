/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "deferred.h"

#include <string.h>

void deferred_add(struct deferred *deferred, struct slot *slot)
{
	deferred->slot[deferred->n++] = slot;
}

struct slot *deferred_next(struct deferred *deferred, bool retry)
{
	struct slot *slot = deferred->slot[0];

	if (retry)
		deferred->again = deferred->n;
	if (!deferred->again)
		return NULL;
	memmove(deferred->slot, deferred->slot + 1, --deferred->n * sizeof(deferred->slot[0]));
	deferred->again--;
	return slot;
}
