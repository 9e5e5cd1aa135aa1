/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that a process runs, as something that can be executed again. */
#ifndef EXECTRACE_TARGET_PROCESS_PROGRAM_H
#define EXECTRACE_TARGET_PROCESS_PROGRAM_H

#include <exectrace/base/buf.h>
#include <sys/types.h>

/*
 * Adds a path by which tid, which has just executed it, can execute its program again, itself. asked: the path that it
 * was executed by, empty or NULL where that was a descriptor; file: the file that was, NULL when not known. Where that
 * has no name in a file system (memfd_create(2), deleted files) it is /proc/self/fd/N of a descriptor of it that tid
 * has. 0 or -errno; -ENOENT: there is none.
 */
int program_path(pid_t tid, const char *asked, const char *file, struct buf *path);

#endif
