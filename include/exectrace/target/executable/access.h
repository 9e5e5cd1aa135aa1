/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What another process may do with files, which may have another root directory and be another user's. */
#ifndef EXECTRACE_TARGET_EXECUTABLE_ACCESS_H
#define EXECTRACE_TARGET_EXECUTABLE_ACCESS_H

#include <sys/types.h>

/*
 * Whether the program that a thread is about to execute may read a file, `path` being absolute within its root: that is
 * there, and owners, groups and modes let it (path_resolution(7)). 0, also where something else may have a say, such as
 * an access control list, or -errno: -ENOENT, -EACCES.
 */
int access_read(pid_t tid, const char *path);

/*
 * Whether a thread may make files in the directory that `path`, absolute within its root, is in. As access_read; and
 * -ENOENT: there is no such directory.
 */
int access_create(pid_t tid, const char *path);

#endif
