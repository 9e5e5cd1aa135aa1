/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are written where others may have their hands in: who may rename, link and replace must not choose what we
 * overwrite. */
#ifndef EXECTRACE_BASE_FILE_H
#define EXECTRACE_BASE_FILE_H

#include <exectrace/base/buf.h>
#include <stdbool.h>

#define FILE_MODE 0600 /* of what file_create makes: recordings tell command lines, environments and paths */
#define FILE_DIR_MODE 0700

/*
 * Makes the file `name` (no slash in it) in the directory that `dir` is a descriptor of, for writing: O_EXCL, so never
 * what is there already, nor through a link (open(2)). The descriptor, close-on-exec, or -errno: -EEXIST.
 */
int file_create(int dir, const char *name);

/*
 * Opens a file that the user has named, for writing; one that is there is emptied when `empty`. Anything that
 * open(2) takes, links too, where only the user and root can put names into the directory. Elsewhere, and that is any
 * directory of or open to others: a new file, or a pipe or regular file of the user's with one name; else -ELOOP for a
 * symbolic link, -ELOOP also when the directory itself is reached through one of somebody else's, -EMLINK for another
 * name of a file, -EPERM for somebody else's. flags: more for open(2), such as O_NONBLOCK. The descriptor,
 * close-on-exec, or -errno.
 */
int file_open_output(const char *path, int flags, bool empty);

/*
 * Makes a file for a program that was given the directory of a run: with the last part of `path` as its name in `dir`,
 * which is closed; file_create. dir 0: none was given, and path is opened by file_open_output and emptied.
 */
int file_create_in(int dir, const char *path);

/*
 * Opens for reading what is to be a regular file, under a name that others have chosen: nothing else is opened at all,
 * for opening alone does something to some devices (a watchdog's begins to count). dir and path as for openat(2);
 * flags: O_NOFOLLOW, or 0. The descriptor, close-on-exec, or -errno: -EMEDIUMTYPE when it is no regular file.
 */
int file_open_regular(int dir, const char *path, int flags);

/* Adds all that can be read of a file to text. 0; -EFBIG: it is more than `most` bytes; -errno. */
int file_read_all(int fd, size_t most, struct buf *text);

/*
 * The directory that a file the user has named is to be in, as fd_directory_of; -ELOOP when it is reached through a
 * link of somebody else's.
 */
int file_directory_of(const char *path, const char **name);

/*
 * A name for what gets its own name later, beside it: of random letters, so that nobody can have put anything under it
 * (O_EXCL is still for its creator), and short, whatever the other's length. 0 or -errno.
 */
int file_temporary_name(struct buf *name);

#endif
