/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's side of sampling: events for the threads of a process, and the rings that they write into. */
#ifndef EXECTRACE_SRC_RECORD_SAMPLE_SESSION_H
#define EXECTRACE_SRC_RECORD_SAMPLE_SESSION_H

#include "parse.h"
#include "ring.h"
#include <exectrace/base/buf.h>
#include <exectrace/record/sample/options.h>
#include <poll.h>

struct session {
	struct ring_format format;
	struct perf_ring *rings; /* one for each processor */
	size_t n_rings;
	struct pollfd *events; /* an event for each thread and processor; fd is -1 once all its threads have ended */
	size_t n_events, cap_events;
	size_t alive;        /* of them */
	bool without_kernel; /* that was not permitted */
	bool counts_lost;    /* the kernel keeps count of what it had no room for (Linux 6.0) */
};

/*
 * Attaches to all threads of a process; what they begin is followed by the kernel. Nothing is sampled yet. 0; -errno
 * with one line in err. session_close in any case.
 */
int session_open(struct session *s, const struct sample_options *options, struct buf *err);

/* Begins sampling. 0 or -errno. */
int session_start(struct session *s);

/* Waits until there is much in a ring, an event has ended or timeout (ms) is over. 0 or -errno (-EINTR: a signal). */
int session_wait(struct session *s, int timeout);

/* Gives away what is in a ring by now. 0, -EBADMSG, or the status of `take`. */
int session_drain(struct session *s, ring_record_fn *take, void *user);

/* Records that the kernel had no room for; 0 where it does not count them. */
uint64_t session_lost(const struct session *s);

void session_close(struct session *s);

#endif
