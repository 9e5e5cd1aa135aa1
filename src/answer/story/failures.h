/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The failing calls of a process that may be why it failed: not those that every program has. */
#ifndef EXECTRACE_SRC_ANSWER_STORY_FAILURES_H
#define EXECTRACE_SRC_ANSWER_STORY_FAILURES_H

#include <exectrace/answer/story/history.h>

/*
 * A call that failed. what: its file or address, in full; "" for none. Left out are answers that are no failures
 * (EAGAIN, ENOTTY of a terminal's ioctl, ...) and files that loader, locales and name services look for at each start.
 */
void failures_add(struct history *h, struct process_history *p, const struct recorded_event *event, const char *name,
                  const char *what);

/* Of a call whose failure another call reported later, as SO_ERROR does for connect(2). error has a name. */
void failures_add_late(struct history *h, struct process_history *p, uint64_t time, const char *name, const char *what,
                       int error);

/* A name server answered that it has no address for a name: failure.call is "DNS", failure.error EREMOTEIO. */
void failures_add_answer(struct history *h, struct process_history *p, uint64_t time, const char *name,
                         const char *server, const char *answer);

/* A name was resolved: those with the same first label were a search through domains, and are forgotten. */
void failures_resolved(struct process_history *p, const char *name);

/*
 * A file was found. One of that name, whatever its extension, that was looked for elsewhere before was a search, as of
 * PATH or of an include path: it is forgotten, unless it was waited for.
 */
void failures_found(struct process_history *p, const char *path, uint64_t time);

/* True for files that loader, C library and interpreters look for at each start, and live without (ld.so(8)). */
bool failures_is_of_a_start(const char *path);

void failures_release(struct process_history *p);

#endif
