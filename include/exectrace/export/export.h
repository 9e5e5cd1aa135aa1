/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording in another format. An exporter is given the events in the order of recording_next and writes as it goes:
 * it holds what processes, threads, names and stacks need, not the events. The calls of a guest are given to it as a
 * replay.
 */
#ifndef EXECTRACE_EXPORT_EXPORT_H
#define EXECTRACE_EXPORT_EXPORT_H

#include <exectrace/analyze/replay.h>

enum export_weight {
	EXPORT_WEIGHT_TIME,  /* ns in system calls */
	EXPORT_WEIGHT_COUNT, /* system calls */
};

struct export_options {
	enum export_weight weight; /* of folded stacks */
	uint64_t from, to;         /* what lasts, such as a process, is cut to this span (ns); to 0: to the end */
	/* Is a process wanted that only execs.jsonl knows? NULL: all are. */
	bool (*wants)(void *user, uint32_t pid, const char *comm);
	/* Takes n bytes of output. 0; -errno, which is what the exporter's functions then return. */
	int (*write)(void *user, const char *bytes, size_t n);
	void *user; /* handed to both */
};

struct exporter;

/* True when a format ("json", "folded", "html", "perfetto") is not for terminals. */
bool export_is_binary(const char *format);

/* True when what a format has are sums, so that the order of events does not matter. */
bool export_is_sums(const char *format);

/* True when it can be of the calls of a guest, and when it can compare two recordings. */
bool export_has_guests(const char *format);
bool export_compares(const char *format);

/*
 * Begins. The recording has to outlive the exporter; one that was opened without names gives stacks of addresses. *ret
 * is set on success only. 0; -EINVAL: no such format; -ENOMEM; what write returned.
 */
int exporter_new(struct exporter **ret, const char *format, struct recording *recording,
                 const struct export_options *options);

/* Frees it. NULL is allowed. */
void exporter_free(struct exporter *e);

/*
 * Takes an event that recording_next has just given. selected: it is wanted itself; else only what it says of its
 * process is. 0, -ENOMEM, or what write returned.
 */
int exporter_event(struct exporter *e, const struct recorded_event *event, bool selected);

/* Takes the calls of a guest, in place of exporter_event. As that. The replay has to outlive the exporter. */
int exporter_guest(struct exporter *e, struct replay *p);

/*
 * What is given from now on is of another recording, with which the first one is compared; until this is called with
 * NULL. The other one, too, has to outlive the exporter, and comes first.
 */
void exporter_compare(struct exporter *e, struct recording *other);

/*
 * Writes what stands at the end, once all has been given. 0, -ENOMEM, what write returned; another -errno
 * with one line in `why` when execs.jsonl cannot be read: then all else was written.
 */
int exporter_finish(struct exporter *e, struct buf *why);

#endif
