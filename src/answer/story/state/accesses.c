/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/story/state/accesses.h>

#include <exectrace/base/grow.h>
#include <stdlib.h>

#define ACCESSES_MAX 16384 /* of a process */
#define RECENT 16          /* among which a repetition is looked for */

int accesses_add(struct accesses *accesses, const struct access *access)
{
	size_t from = accesses->n > RECENT ? accesses->n - RECENT : 0;
	int rc;

	for (size_t i = from; i < accesses->n; i++)
		if (accesses->items[i].object == access->object && accesses->items[i].kind == access->kind)
			return 0;
	if (accesses->n == ACCESSES_MAX)
		return 0;
	rc = grow_array((void **)&accesses->items, accesses->n, &accesses->cap, sizeof(*accesses->items));
	if (!rc)
		accesses->items[accesses->n++] = *access;
	return rc;
}

void accesses_release(struct accesses *accesses)
{
	free(accesses->items);
	*accesses = (struct accesses){0};
}
