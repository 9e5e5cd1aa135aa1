/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracer's end of <exectrace/record/calls/exec_handshake.h>. */
#ifndef EXECTRACE_RECORD_SECCOMP_EXEC_HANDSHAKE_H
#define EXECTRACE_RECORD_SECCOMP_EXEC_HANDSHAKE_H

#include <exectrace/record/calls/threads.h>
#include <exectrace/target/tracee/wait.h>

struct exec_handshake {
	int fd;        /* the socket; 0: there is none */
	bool on;       /* execs are told */
	uint64_t last; /* CLOCK_MONOTONIC of the last look, ns */
};

/* Asks to be told from now on. 0 or -errno. From then on handshake_wait() has to be used instead of wait_any(). */
int handshake_begin(struct exec_handshake *handshake);

/* Takes that back. */
void handshake_off(struct exec_handshake *handshake);

/* Nothing is to be told any more, in either direction. */
void handshake_end(struct exec_handshake *handshake);

/* Tells how a process has ended. It waits for nobody: where that cannot be said now it is lost. */
void handshake_ended(struct exec_handshake *handshake, pid_t pid, int status);

/* What wait_any() does; -EAGAIN when there may be something to hear. */
int handshake_wait(struct wait_event *ev);

/*
 * Answers what has been told since. Threads that will stop because of it have exec_due set. To be called when
 * handshake_wait() says so, and at times while there is always a stop to look at (`busy`; then it looks once in a while
 * only). 0; -EPIPE when nobody will tell any more: then `on` is not set either.
 */
int handshake_hear(struct exec_handshake *handshake, struct threads *threads, bool busy);

#endif
