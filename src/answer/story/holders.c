/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "holders.h"

#include <errno.h>
#include <string.h>

/* A process that has the file open, too, and lives; whoever locked it may have ended, and have left it to a child. */
static uint32_t locker_of(const struct history *h, const struct process_history *p, uint32_t object)
{
	const struct object *o = object ? objects_at(&h->objects, object) : NULL;
	const struct wake *lock = o ? objects_waker(&h->objects, object, UINT32_MAX, UINT64_MAX, WAKE_LOCKS) : NULL;
	const struct thread_history *t = lock ? history_thread(h, lock->thread) : NULL;
	const struct process_history *locker = t ? history_process(h, t->thread->process->number) : NULL;

	if (locker && locker != p && !locker->ended)
		return locker->process->number + 1;
	for (size_t i = h->n_processes; o && i-- > 0;) {
		const struct process_history *q = h->processes[i];

		if (q && q != p && !q->ended && descriptors_of(&q->descriptors, object))
			return q->process->number + 1;
	}
	return 0;
}

/* A process that has the file open to write: the one that opened it, if that lives. */
static uint32_t writer_of(const struct history *h, uint32_t object)
{
	for (size_t i = h->n_processes; object && i-- > 0;) {
		const struct process_history *q = h->processes[i], *opener;
		const struct descriptor *d =
			q && !q->ended ? descriptors_writer(&q->descriptors, object, UINT64_MAX) : NULL;

		if (!d)
			continue;
		opener = history_process(h, d->opener);
		if (opener && !opener->ended && descriptors_of(&opener->descriptors, object))
			q = opener;
		return q->process->number + 1;
	}
	return 0;
}

static uint32_t runner_of(const struct history *h, const char *what)
{
	for (size_t i = h->n_processes; *what && i-- > 0;) {
		const struct process_history *q = h->processes[i];

		if (q && !q->ended && q->process->path && strcmp(q->process->path, what) == 0)
			return q->process->number + 1;
	}
	return 0;
}

static bool is_in(const char *path, const char *directory, size_t n)
{
	return strncmp(path, directory, n) == 0 && (path[n] == '/' || !path[n]);
}

/* umount(2), "EBUSY": the working directory of a process counts as an open file does. */
static uint32_t user_of(const struct history *h, const char *directory)
{
	size_t length = strlen(directory);

	while (length > 1 && directory[length - 1] == '/')
		length--;
	for (size_t i = h->n_processes; length > 1 && i-- > 0;) {
		const struct process_history *q = h->processes[i];

		if (!q || q->ended)
			continue;
		if (q->cwd && is_in(q->cwd, directory, length))
			return q->process->number + 1;
		for (size_t k = 0; k < q->descriptors.n; k++)
			if (is_in(objects_at(&h->objects, q->descriptors.items[k].object)->name, directory, length))
				return q->process->number + 1;
	}
	return 0;
}

uint32_t holders_find(const struct history *h, const struct process_history *p, const char *what, uint32_t object,
                      int error)
{
	uint32_t found;

	switch (error) {
	case EAGAIN:
		return locker_of(h, p, object);
	case ETXTBSY:
		found = writer_of(h, object);
		return found ? found : runner_of(h, what);
	case EBUSY:
		return user_of(h, what);
	default:
		return 0;
	}
}
