/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "deferred.h"

#include <exectrace/base/grow.h>
#include <string.h>

int deferred_add(struct deferred *deferred, void *key)
{
	int err = grow_array((void **)&deferred->keys, deferred->n, &deferred->cap, sizeof(*deferred->keys));

	if (!err)
		deferred->keys[deferred->n++] = key;
	return err;
}

static void *take(struct deferred *deferred, size_t at)
{
	void *key = deferred->keys[at];

	memmove(deferred->keys + at, deferred->keys + at + 1, (--deferred->n - at) * sizeof(*deferred->keys));
	return key;
}

void *deferred_next(struct deferred *deferred, bool retry)
{
	if (retry)
		deferred->again = deferred->n;
	if (!deferred->again)
		return NULL;
	deferred->again--;
	return take(deferred, 0);
}

void deferred_drop(struct deferred *deferred, const void *key)
{
	for (size_t i = deferred->n; i-- > 0;) {
		if (deferred->keys[i] != key)
			continue;
		(void)take(deferred, i);
		deferred->again -= i < deferred->again;
	}
}
