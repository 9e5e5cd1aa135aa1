/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the tracer hears of execs that cannot stop by its own filter, because the notification of an engine's comes first
 * (seccomp(2), the order of actions): messages over a socket (SOCK_SEQPACKET) between it and whoever gets the
 * notifications, both of one exectrace. Whoever has a notification of a thread that the tracer traces tells it so and
 * leaves the thread waiting. The tracer asks the thread to stop (PTRACE_INTERRUPT), which it does as soon as it waits
 * no more, and answers HANDSHAKE_AGAIN; then the call is restarted (seccomp_unotify(2), error
 * -ERESTARTNOINTR), and the tracer sees it whole, as any call. Of that it is told once more, and answers
 * HANDSHAKE_GO_ON.
 *
 * The other way round, the tracer tells how its processes have ended, which only their parents can know otherwise
 * before Linux 6.15 (PIDFD_GET_INFO).
 */
#ifndef EXECTRACE_RECORD_CALLS_EXEC_HANDSHAKE_H
#define EXECTRACE_RECORD_CALLS_EXEC_HANDSHAKE_H

#include <stdint.h>

/* To the tracer: this thread waits in a call that executes. */
struct handshake_exec {
	uint64_t number; /* of the message, from 1; 0: the process that waits before its first instruction may begin */
	int32_t tid;
	uint32_t zero;
};

enum handshake_kind {
	HANDSHAKE_BEGIN, /* from now on it is to be told; a tracer that has not said so sees execs itself */
	HANDSHAKE_GO_ON, /* the call may go on */
	HANDSHAKE_AGAIN, /* the thread will stop: its call is to restart */
	HANDSHAKE_OFF,   /* it is to be told no more */
	HANDSHAKE_ENDED, /* a process has ended */
};

/* From the tracer. */
struct handshake_reply {
	uint64_t number; /* of what is answered; of HANDSHAKE_ENDED the process; 0 for HANDSHAKE_BEGIN and HANDSHAKE_OFF
	                  */
	uint32_t kind;   /* of enum handshake_kind */
	int32_t status;  /* HANDSHAKE_ENDED: as wait(2) has it; else 0 */
};

#endif
