/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address spaces of traced processes: one that threads, and the child of a vfork until its exec, have together. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_STACKS_SPACES_H
#define EXECTRACE_SRC_RECORD_TRACE_STACKS_SPACES_H

#include <exectrace/record/calls/call.h>
#include <exectrace/record/common/codemaps.h>

#define SPACES_BUCKETS 256u
#define SPACES_SPARE 8u

struct space {
	unsigned users;              /* processes */
	struct unwind_space *unwind; /* NULL before the first stack */
	uint64_t generation;         /* of it, that `maps` are of; 0: none */
	struct code_maps maps;
	unsigned strays; /* stacks with a frame that is in none of them (stacks.h, lazy) */
};

struct space_process {
	struct space_process *next;
	pid_t pid;
	unsigned threads;
	struct space *space;
};

struct spaces {
	struct code_files *files;
	struct space_process *bucket[SPACES_BUCKETS];
	struct unwind_space *spare[SPACES_SPARE]; /* of processes that have ended: their caches are warm */
	unsigned spares;
	uint64_t sets; /* numbers of sets given */
};

/* The space of a thread's process; NULL when it is not known. */
struct space *spaces_of(const struct spaces *spaces, const struct thread *thread);

/* A thread has begun. 0 or -ENOMEM. */
int spaces_begin(struct spaces *spaces, const struct thread *thread);

/* The process of a thread has a new program. */
void spaces_exec(struct spaces *spaces, const struct thread *thread);

/* A thread has ended. */
void spaces_end(struct spaces *spaces, const struct thread *thread);

/* Makes sure that the space can be unwound. 0 or -ENOMEM. */
int spaces_ready(struct spaces *spaces, struct space *space);

/* After an unwinding of thread tid: the maps of the space are those that it was made with. 0 or -ENOMEM. */
int spaces_update(struct spaces *spaces, struct space *space, pid_t tid);

/* Frees everything. */
void spaces_release(struct spaces *spaces);

#endif
