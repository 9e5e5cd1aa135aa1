/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What descriptors refer to. A link in /proc costs more to read than the rest of what a call does to the tracer, so it
 * is remembered until a call may have changed it. Of processes that run on while their calls are told, it may not be
 * what it was: there what a descriptor refers to is told with the call that makes it (snapshot.h).
 */
#ifndef EXECTRACE_RECORD_TRACE_PROCESS_PATHS_H
#define EXECTRACE_RECORD_TRACE_PROCESS_PATHS_H

#include <exectrace/base/buf.h>
#include <exectrace/record/calls/call.h>
#include <exectrace/target/syscalls/filter.h>

#define PATHS_BUCKETS 512u

/* Of one descriptor. */
struct fd_path {
	struct fd_path *next;
	pid_t tgid;
	int fd;
	bool stale; /* something may have changed it */
	struct buf path;
};

/* Begins as zeroes. */
struct fd_paths {
	struct fd_path *buckets[PATHS_BUCKETS];
	struct syscall_filter keeps;   /* calls after which they still hold */
	struct syscall_filter changes; /* calls after which they may not in a late process, either */
	struct syscall_filter moves;   /* ... but for the current directory */
	struct syscall_filter renames; /* ... whatever process it is */
	struct syscall_filter gives;   /* calls that give a new descriptor with some commands, or in memory */
	bool ahead;                    /* what is told happened a while ago: the process has run on */
};

/* As decoder.read (decode.h). */
typedef int fd_paths_read(void *user, uint64_t addr, void *to, size_t n);

void fd_paths_init(struct fd_paths *paths);

/* A new process has what its maker has. */
void fd_paths_inherit(struct fd_paths *paths, pid_t maker, pid_t child);

/* All that the process of a stopped thread has: it will be asked for when the process has run on. It is late then. */
void fd_paths_take(struct fd_paths *paths, const struct thread *thread);

/* The path behind a descriptor, or AT_FDCWD, of a thread. NULL, *err says why, when it has none. */
const struct buf *fd_paths_find(struct fd_paths *paths, const struct thread *thread, int fd, int *err);

/*
 * A call has ended. Before it is shown: takes what it has made, also in memory, which `read` reads (decode.h). The end
 * of the call of another thread that has closed one of the same number may be told only later.
 */
void fd_paths_made(struct fd_paths *paths, const struct thread *thread, fd_paths_read *read, void *user);

/*
 * A call has begun, and was shown: a late process has nothing any more of what it closes. Another thread may have the
 * number again before the end of the call is told.
 */
void fd_paths_begun(struct fd_paths *paths, const struct thread *thread);

/* At the end of the call, when it was shown: forgets what it may have changed. */
void fd_paths_changed(struct fd_paths *paths, const struct thread *thread);

/* A process has descriptors in common with another one: both are as if they were not late. */
void fd_paths_share(struct fd_paths *paths, pid_t tgid);

/* A process has a new program, and is not late any more. */
void fd_paths_exec(struct fd_paths *paths, pid_t tgid);

/* A process has ended. */
void fd_paths_end(struct fd_paths *paths, pid_t tgid);

/* Not all calls are seen: nothing holds. */
void fd_paths_forget(struct fd_paths *paths, pid_t tgid);

void fd_paths_release(struct fd_paths *paths);

#endif
