/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that lock files, and who has the locks. */
#include "waits.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

static struct file_lock lock_of(const struct taken *c, enum lock_kind kind, uint32_t object)
{
	const struct descriptor *d = descriptors_find(&c->p->descriptors, (int)c->call->args[0]);

	return (struct file_lock){
		.kind = kind,
		.object = object,
		.process = c->p->process->number,
		.file = d && d->object == object ? d->file : 0,
		.time = c->event->time,
	};
}

static void unlocked(const struct taken *c, const struct file_lock *lock)
{
	waits_wake(c, lock->object, WAKE_CLOSES);
	if (!taken_fails(c))
		locks_drop(&c->h->locks, lock);
}

static void locked(const struct taken *c, const struct file_lock *lock, bool waits)
{
	const uint32_t object = lock->object;

	waits_object(c, object ? waits_add(c, waits ? WAIT_LOCK : WAIT_CALL) : NULL, object);
	if (!object || taken_fails(c) || c->h->err)
		return;
	objects_at(&c->h->objects, object)->wakes_count = true;
	waits_wake(c, object, WAKE_LOCKS);
	if (!c->h->err)
		c->h->err = locks_add(&c->h->locks, lock);
}

void waits_on_flock(const struct taken *c)
{
	struct file_lock lock = lock_of(c, LOCK_BY_FLOCK, taken_object(c, 0));

	lock.shared = c->call->args[1] & LOCK_SH;
	if (c->call->args[1] & LOCK_UN)
		unlocked(c, &lock);
	else
		locked(c, &lock, !(c->call->args[1] & LOCK_NB));
}

void waits_on_lock(const struct taken *c)
{
	const bool of_file = c->call->args[1] == F_OFD_SETLK || c->call->args[1] == F_OFD_SETLKW;
	const struct file_lock lock = lock_of(c, of_file ? LOCK_BY_FILE : LOCK_BY_PROCESS, taken_object(c, 0));
	const struct data_text how = taken_text(c, 2);

	if (taken_behind(how, "l_type=F_UNLCK")) {
		unlocked(c, &lock);
		return;
	}
	/* Where the structure was not recorded, one that has a lock may as well give it back. */
	if (!taken_fails(c) && !taken_behind(how, "l_type=") && locks_have(&c->h->locks, &lock)) {
		waits_wake(c, lock.object, WAKE_CLOSES);
		locks_drop(&c->h->locks, &lock);
		return;
	}
	locked(c, &lock, c->call->args[1] == F_SETLKW || c->call->args[1] == F_OFD_SETLKW);
}

/* A process that has the open file description, the one that locked it first. NULL: none is known. */
static const struct process_history *owner_of(const struct history *h, const struct file_lock *lock)
{
	const struct process_history *p = history_process(h, lock->process);

	if (lock->kind == LOCK_BY_PROCESS)
		return p && !p->ended ? p : NULL;
	for (size_t i = 0; lock->file && i <= h->n_processes; i++) {
		const struct process_history *q = i ? h->processes[i - 1] : p;

		for (size_t k = 0; q && !q->ended && k < q->descriptors.n; k++)
			if (q->descriptors.items[k].file == lock->file)
				return q;
	}
	return NULL;
}

const struct recorded_process *history_lock_holder(const struct history *h, const struct process_history *waiter,
                                                   uint32_t object, bool flock, uint64_t *since)
{
	const struct process_history *found = NULL;

	for (size_t i = 0; i < h->locks.n; i++) {
		const struct file_lock *lock = &h->locks.items[i];
		const struct process_history *owner;

		if (lock->object != object || (lock->kind == LOCK_BY_FLOCK) != flock)
			continue;
		owner = owner_of(h, lock);
		if (!owner || owner == waiter)
			continue;
		/* Parts of a file can be locked, and which ones is not known: of several owners any may be the one. */
		if (found && !flock)
			return NULL;
		found = owner;
		*since = lock->time;
	}
	return found ? found->process : NULL;
}
