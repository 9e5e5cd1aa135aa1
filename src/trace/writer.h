/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the sinks that write a line a call share: decoding, which calls are wanted, output held back. */
#ifndef EXECTRACE_SRC_TRACE_WRITER_H
#define EXECTRACE_SRC_TRACE_WRITER_H

#include "memory.h"

struct writer_config {
	int fd; /* written to; the caller's */
	unsigned string_max;
	bool failed;      /* only calls that fail */
	const char *path; /* only calls about this file; NULL: all */
	bool partial;     /* some calls are not shown to the sink */
};

struct writer {
	struct call_sink sink; /* first */
	struct writer_config config;
	struct memory memory;
	struct decoder decoder;
	struct buf out;
	int (*line)(struct writer *, const struct call_event *); /* adds what an event says to `out`. 0 or -ENOMEM */
	int (*last)(struct writer *); /* adds what stands at the end. 0 or -ENOMEM; NULL: nothing */
};

/*
 * Makes a sink of what begins with a struct writer, which is freed with the sink. config.path must stay. Each event is
 * shown to line() with the memory of its thread; what has come together is written in large pieces.
 */
struct call_sink *writer_init(struct writer *writer, const struct writer_config *config,
                              int (*line)(struct writer *, const struct call_event *), int (*last)(struct writer *));

/* True when the text of a call (thread->line) that has ended is asked for. */
bool writer_wants(const struct writer *writer, const struct thread *thread);

#endif
