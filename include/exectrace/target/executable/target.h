/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file an execve means, and whether it will succeed. Asked while the caller waits in its system call, so that a
 * PATH search is not taken for an exec. The answer "it will fail" is given only when that is sure.
 */
#ifndef EXECTRACE_TARGET_EXECUTABLE_TARGET_H
#define EXECTRACE_TARGET_EXECUTABLE_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

/* Remembers what the headers of files said, by device, inode and change time. */
struct target_cache;

/* An empty cache, NULL without memory. */
struct target_cache *target_cache_new(void);
void target_cache_free(struct target_cache *cache);

struct target {
	char *exe;    /* absolute path, as seen from our root; NULL when unknown */
	char *interp; /* of its #! line; NULL when there is none */
	int outcome;  /* 0: will probably succeed; else the -errno it will fail with; -ENOENT also of what is not there
	               * in a directory that the caller may not search, where the kernel says EACCES */
	int refused;  /* exe is NULL: 0, or the -errno of a call that we are not allowed or that does not exist */
	unsigned words; /* that #! lines put in front of the arguments */
	bool setid;     /* set-user-id, or set-group-id and executable by the group */
};

/*
 * Resolves path as thread tid would: in its root, relative to its working directory or to descriptor dirfd (AT_FDCWD
 * for execve). An empty path means dirfd itself (AT_EMPTY_PATH). The strings in *target are the caller's to free with
 * target_release. This touches files of the caller's, and so may wait for a server, a helper or a scanner of files
 * (fanotify(7)): see looks.h.
 */
void target_resolve(struct target_cache *cache, pid_t tid, int dirfd, const char *path, struct target *target);

/*
 * The same, only as far as all that it takes is in memory: 0; -EAGAIN, with *target empty, when something would have to
 * be waited for (always before Linux 5.12).
 */
int target_at_once(struct target_cache *cache, pid_t tid, int dirfd, const char *path, struct target *target);

void target_release(struct target *target);

/*
 * What the kernel has to load beside a file: the interpreter of its #! line, or the loader of an ELF file. The path is
 * opened only if it is a regular file. 0, with *interp for free(), NULL when the file names none; -ENOMEM; the -errno
 * of reading the file.
 */
int target_interpreter(const char *path, char **interp);

/* True when an absolute path names a file that everybody may execute, as we see it: for a caller with the same root,
 * and with our rights to get there. False, too, where that cannot be told without waiting. */
bool target_is_there(struct target_cache *cache, pid_t tid, const char *path);

#endif
