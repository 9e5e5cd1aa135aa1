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
};

static inline int sources_fd(const struct sources *sources, unsigned source)
{
	return source < sources->n ? sources->fd[source] : -1;
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
