/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keeper's side of a hand-over (handover.h): what it is asked, and what it gives. */
#ifndef EXECTRACE_SRC_PICK_LAUNCH_DOOR_H
#define EXECTRACE_SRC_PICK_LAUNCH_DOOR_H

#include "standin.h"
#include <exectrace/pick/launch/shared.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DOOR_FD 0 /* the number of the outer end in every keeper, for pidfd_getfd(2) */

/* One message to the outer end. With it comes a SOCK_SEQPACKET socket, the line, on which all else is said. */
struct ask {
	pid_t pid; /* whose listener is wanted; with rest: one of those that were found below --pid=PID (watched.top) */
	bool rest;
	uint64_t start; /* of pid: proc_start_time */
};

/*
 * The answer, with a listener if err is 0. Then the asker says one byte when others than it have that, too; the keeper
 * gives up its own and says one byte. If the line ends before, nothing has happened.
 */
struct offer {
	int err;  /* 0; -ENOENT: it has none such; -EADDRINUSE: exectrace is still there for it */
	pid_t by; /* -EADDRINUSE: which */
	struct watched watched;
};

/* Opens it in the keeper, whose DOOR_FD is free. Without memory or descriptors there is none: nothing is handed over.
 */
void door_open(struct door *door);

/* What to poll for: an ask, and the answer to an offer. busy: no ask can be met now. */
void door_poll(const struct door *door, bool busy, struct pollfd fds[2]);

/* Serves what poll has found. lives: exectrace does, and nothing is given away. Never waits. */
void door_serve(struct keeper *keeper, bool lives, const struct pollfd fds[2]);

/* Sends n bytes, and fd unless that is negative, without waiting. 0 or -errno. */
int door_send(int sock, const void *bytes, size_t n, int fd);

/*
 * Receives exactly n bytes and, if one came, a descriptor (close-on-exec, above 2), the caller's; else *fd is -1. 0 or
 * -errno, with no descriptor: -EPIPE at the end, -EBADMSG when the length is another, -EAGAIN: there is nothing.
 */
int door_receive(int sock, void *bytes, size_t n, int *fd);

/* Likewise, but waits for it, at most 2 s: -EAGAIN: nothing was said. */
int door_hear(int sock, void *bytes, size_t n, int *fd);

/* Whether a descriptor is a socket as these are (AF_UNIX, SOCK_SEQPACKET). */
bool door_is_socket(int fd);

#endif
