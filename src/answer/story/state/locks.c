/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/story/state/locks.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

static void remove_at(struct locks *locks, size_t at)
{
	locks->n--;
	memmove(&locks->items[at], &locks->items[at + 1], (locks->n - at) * sizeof(*locks->items));
}

/* The two are of the same owner, so that there is only one. */
static bool same_owner(const struct file_lock *a, const struct file_lock *b)
{
	if (a->kind != b->kind || a->object != b->object)
		return false;
	if (a->kind != LOCK_BY_PROCESS && a->file && b->file)
		return a->file == b->file;
	return a->process == b->process;
}

int locks_add(struct locks *locks, const struct file_lock *lock)
{
	/* Those of fcntl(2) may be of other parts of the file. */
	const bool only = lock->kind == LOCK_BY_FLOCK && !lock->shared;

	for (size_t i = locks->n; i-- > 0;)
		if (same_owner(&locks->items[i], lock) ||
		    (only && locks->items[i].kind == LOCK_BY_FLOCK && locks->items[i].object == lock->object))
			remove_at(locks, i);
	if (locks->n == LOCKS_MAX)
		remove_at(locks, 0);
	if (grow_array((void **)&locks->items, locks->n, &locks->cap, sizeof(*locks->items)))
		return -ENOMEM;
	locks->items[locks->n++] = *lock;
	return 0;
}

void locks_drop(struct locks *locks, const struct file_lock *lock)
{
	for (size_t i = locks->n; i-- > 0;)
		if (same_owner(&locks->items[i], lock))
			remove_at(locks, i);
}

bool locks_have(const struct locks *locks, const struct file_lock *lock)
{
	for (size_t i = 0; i < locks->n; i++)
		if (same_owner(&locks->items[i], lock))
			return true;
	return false;
}

void locks_closed(struct locks *locks, uint32_t process, uint32_t object)
{
	for (size_t i = locks->n; i-- > 0;)
		if (locks->items[i].kind == LOCK_BY_PROCESS && locks->items[i].object == object &&
		    locks->items[i].process == process)
			remove_at(locks, i);
}

void locks_release(struct locks *locks)
{
	free(locks->items);
	*locks = (struct locks){0};
}
