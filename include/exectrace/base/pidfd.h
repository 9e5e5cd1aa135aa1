/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes by descriptors (pidfd_open(2)), which no other process can take the place of. */
#ifndef EXECTRACE_BASE_PIDFD_H
#define EXECTRACE_BASE_PIDFD_H

#include <stdbool.h>
#include <sys/types.h>

/* Opens one of a process, close-on-exec and above 2. The descriptor or -errno. */
int pidfd_of(pid_t pid);

/* A copy of what is open in the process under that number (pidfd_getfd(2)), close-on-exec and above 2. It or -errno. */
int pidfd_fetch(int fd, int number);

/* True while it has not been reaped, whoever's it is. False for a negative descriptor, too. */
bool pidfd_exists(int fd);

/* Whose child it is. 0; -ESRCH when it is gone; another -errno before Linux 6.13. */
int pidfd_parent(int fd, pid_t *parent);

/*
 * How it has ended, as wait(2) says it, once it was reaped. 0; -EAGAIN when it may be told in a moment; -ENOTSUP when
 * it will not be: before Linux 6.15.
 */
int pidfd_exit_status(int fd, int *status);

#endif
