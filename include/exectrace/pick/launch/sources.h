/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The listeners of a run, by number: 0 is that of the command's tree, each other one that of a process which ran before
 * exectrace did. Supervisor and keeper have the same ones under the same numbers, each with descriptors of its own.
 */
#ifndef EXECTRACE_PICK_LAUNCH_SOURCES_H
#define EXECTRACE_PICK_LAUNCH_SOURCES_H

#include <exectrace/base/fd.h>
#include <stdbool.h>

#define SOURCES 2048u

struct sources {
	int fd[SOURCES]; /* -1: none, or it has ended; behind n nothing is said */
	unsigned n;
	bool nested; /* number 0 is an outer exectrace's (nested.h) */
	int feed;    /* what number 0 is received from then; -1: that one has ended, or there is none */
};

static inline int sources_fd(const struct sources *sources, unsigned source)
{
	return source < sources->n ? sources->fd[source] : -1;
}

/* What it is received from. */
static inline int sources_in(const struct sources *sources, unsigned source)
{
	return source == 0 && sources->feed >= 0 && sources_fd(sources, 0) >= 0 ? sources->feed
	                                                                        : sources_fd(sources, source);
}

/* What number 0 is received from has ended. Where that was an outer exectrace's the listener is left. */
static inline void sources_end_first(struct sources *sources)
{
	fd_close(sources->feed >= 0 ? &sources->feed : &sources->fd[0]);
}

/* source: below SOURCES. What was there is closed. */
static inline void sources_set(struct sources *sources, unsigned source, int fd)
{
	while (sources->n <= source)
		sources->fd[sources->n++] = -1;
	fd_close(&sources->fd[source]);
	sources->fd[source] = fd;
}

/* Whether there is one, of those from number `from` on. */
static inline bool sources_any(const struct sources *sources, unsigned from)
{
	bool any = false;

	for (unsigned i = from; i < sources->n && !any; i++)
		any = sources->fd[i] >= 0;
	return any;
}

#endif
