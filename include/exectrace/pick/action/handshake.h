/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our end of <exectrace/record/calls/exec_handshake.h>: telling our tracer of the execs of its processes. Nothing here
 * waits. */
#ifndef EXECTRACE_PICK_ACTION_HANDSHAKE_H
#define EXECTRACE_PICK_ACTION_HANDSHAKE_H

#include <exectrace/record/calls/exec_handshake.h>
#include <sys/types.h>

/* A socket pair, close-on-exec: *ours and the tracer's. 0 or -errno. */
int handshake_open(int *ours, int *tracers);

/* Tells of thread tid, with the number of the message. 0 or -errno: it cannot be told now (-EAGAIN), or any more. */
int handshake_ask(int fd, uint64_t number, pid_t tid);

/* The next thing that the tracer has said: 1 with *reply, 0 when there is none now, -EPIPE at the end. */
int handshake_take_reply(int fd, struct handshake_reply *reply);

#endif
