/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File descriptors: closing, moving out of the way of standard input and output, sending to another process. */
#ifndef EXECTRACE_BASE_FD_H
#define EXECTRACE_BASE_FD_H

#include <stddef.h>

/* Closes *fd unless it is negative and sets it to -1. Keeps errno. */
void fd_close(int *fd);

/* Moves fd to a number above 2 with close-on-exec, closing the old one. The new number, or -errno with fd closed. */
int fd_high(int fd);

/* pipe2(O_CLOEXEC | flags) with both ends above 2. 0 or -errno. */
int fd_pipe(int ends[2], int flags);

/* A SOCK_SEQPACKET socket pair, close-on-exec, both ends above 2. 0 or -errno. */
int fd_socketpair(int ends[2]);

/* 0 when n more descriptors can be opened (RLIMIT_NOFILE), as long as there are few gaps; or -errno, -EMFILE. */
int fd_room(unsigned n);

/* Sends fd over a unix socket with one byte (SCM_RIGHTS, unix(7)). 0 or -errno. */
int fd_send(int sock, int fd);

/*
 * Receives what fd_send sent; the new descriptor is close-on-exec and above 2. The descriptor, or -errno; -EPIPE at the
 * end, -EBADMSG when a message without a descriptor came, -EMFILE when there was no number for it.
 */
int fd_recv(int sock);

/* Writes all n bytes, through interruptions and short writes; waits when fd is non-blocking. 0 or -errno. */
int fd_write_all(int fd, const void *bytes, size_t n);

/* Reads up to n bytes, through interruptions, until the end; waits when fd is non-blocking. The count or -errno. */
long fd_read_all(int fd, void *bytes, size_t n);

/* Closes every descriptor but those in keep (n of them, any order; negative ones are skipped). */
void fd_close_all_but(const int *keep, size_t n);

/* Opens /dev/null on fd number `fd` with the flags given. 0 or -errno. */
int fd_null(int fd, int flags);

/*
 * Opens the directory that a file is in (O_PATH), so that the file can be reached where its path leads elsewhere by
 * then: openat(2) with its name, which *name points to. The descriptor or -errno.
 */
int fd_directory_of(const char *path, const char **name);

#endif
