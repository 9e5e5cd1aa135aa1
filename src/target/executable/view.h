/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files by the names that another thread uses: in its root, from its working directory, with its rights. */
#ifndef EXECTRACE_SRC_TARGET_EXECUTABLE_VIEW_H
#define EXECTRACE_SRC_TARGET_EXECUTABLE_VIEW_H

#include "rights.h"
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Where a thread stands: its root is opened once for all the names that one exec involves. */
struct view {
	pid_t tid;
	bool at_once; /* nothing may be waited for */
	bool waits;   /* ... and something would have to be: nothing is known then */
	int refused;  /* 0, or the -errno of a call that we are not allowed, or cannot make */
	int root;     /* -1: not opened yet */
	bool closed;  /* the caller may not search a directory on the way */
	struct rights rights;
};

/* That of thread tid. at_once: no file may be touched that has to be waited for. view->root is the caller's to close.
 */
struct view view_of(pid_t tid, bool at_once);

/* A descriptor (O_PATH) of the file meant; -errno that the exec will fail with; -EIO when that cannot be known, or,
 * with view->waits, not without waiting. */
int view_open(struct view *view, int dirfd, const char *path);

/* As fstat(2); where nothing may be waited for, what is known here of a file elsewhere. */
int view_stat(const struct view *view, int fd, struct stat *st);

/* As rights_refuse(). */
bool view_refuses(struct view *view, int fd, const struct stat *st, mode_t other);

#endif
