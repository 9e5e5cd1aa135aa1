/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spaces.h"

#include <errno.h>
#include <exectrace/target/process/mem.h>
#include <sched.h>
#include <stdlib.h>

static struct space_process **link_of(struct spaces *spaces, pid_t pid)
{
	struct space_process **at = &spaces->bucket[(unsigned)pid % SPACES_BUCKETS];

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

static struct space_process *find(const struct spaces *spaces, pid_t pid)
{
	struct space_process *process = spaces->bucket[(unsigned)pid % SPACES_BUCKETS];

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

struct space *spaces_of(const struct spaces *spaces, const struct thread *thread)
{
	struct space_process *process = find(spaces, thread->tgid);

	return process ? process->space : NULL;
}

static void leave(struct spaces *spaces, struct space *space)
{
	if (!space || --space->users)
		return;
	code_maps_release(&space->maps, spaces->files);
	if (space->unwind && spaces->spares < SPACES_SPARE) {
		unwind_space_changed(space->unwind);
		spaces->spare[spaces->spares++] = space->unwind;
	} else {
		unwind_space_free(space->unwind);
	}
	free(space);
}

/* The space of a new process: its maker's own, or one that begins as a copy of that. NULL without memory. */
static struct space *make_space(struct spaces *spaces, const struct thread *thread)
{
	const struct space_process *maker = find(spaces, thread->parent_pid);
	struct space *space = NULL;
	int shared = maker ? mem_shared(thread->parent_pid, thread->tid) : 0;

	if (shared < 0)
		shared = (thread->clone_flags & CLONE_VM) != 0;
	if (maker && shared && maker->space) {
		maker->space->users++;
		return maker->space;
	}
	space = calloc(1, sizeof(*space));
	if (!space)
		return NULL;
	space->users = 1;
	if (maker && maker->space && code_maps_copy(&space->maps, spaces->files, &maker->space->maps)) {
		free(space);
		return NULL;
	}
	return space;
}

int spaces_begin(struct spaces *spaces, const struct thread *thread)
{
	struct space_process *process = find(spaces, thread->tgid);

	if (!process) {
		process = calloc(1, sizeof(*process));
		if (!process)
			return -ENOMEM;
		process->pid = thread->tgid;
		process->space = make_space(spaces, thread);
		process->next = spaces->bucket[(unsigned)process->pid % SPACES_BUCKETS];
		spaces->bucket[(unsigned)process->pid % SPACES_BUCKETS] = process;
	}
	process->threads++;
	return process->space ? 0 : -ENOMEM;
}

void spaces_exec(struct spaces *spaces, const struct thread *thread)
{
	struct space_process *process = find(spaces, thread->tgid);

	if (!process)
		return;
	leave(spaces, process->space);
	process->space = calloc(1, sizeof(*process->space));
	if (process->space)
		process->space->users = 1;
}

void spaces_end(struct spaces *spaces, const struct thread *thread)
{
	struct space_process **link = link_of(spaces, thread->tgid), *process = *link;

	if (!process || --process->threads)
		return;
	*link = process->next;
	leave(spaces, process->space);
	free(process);
}

int spaces_ready(struct spaces *spaces, struct space *space)
{
	if (space->unwind)
		return 0;
	if (spaces->spares) {
		space->unwind = spaces->spare[--spaces->spares];
		return 0;
	}
	return unwind_space_new(spaces->files->cache, &space->unwind);
}

int spaces_update(struct spaces *spaces, struct space *space, pid_t tid)
{
	uint64_t generation = unwind_generation(space->unwind);
	int err = 0;

	if (space->generation == generation)
		return 0;
	err = code_maps_update(&space->maps, spaces->files, space->unwind, tid, &spaces->sets);
	if (!err)
		space->generation = generation;
	return err;
}

void spaces_release(struct spaces *spaces)
{
	for (size_t i = 0; i < SPACES_BUCKETS; i++) {
		while (spaces->bucket[i]) {
			struct space_process *next = spaces->bucket[i]->next;

			leave(spaces, spaces->bucket[i]->space);
			free(spaces->bucket[i]);
			spaces->bucket[i] = next;
		}
	}
	while (spaces->spares)
		unwind_space_free(spaces->spare[--spaces->spares]);
}
