/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording in another format. An exporter is given the events in the order of recording_next and writes as it goes:
 * it holds what processes, threads, names and stacks need, not the events. The calls of a guest, or of an imported log,
 * are given to it as a replay of them.
 */
#ifndef EXECTRACE_ANSWER_EXPORT_EXPORT_H
#define EXECTRACE_ANSWER_EXPORT_EXPORT_H

#include <exectrace/answer/export/exporter/budget.h>
#include <exectrace/answer/export/exporter/options.h>
#include <exectrace/answer/report/functions.h>

struct exporter;

/* The name of the i-th format, from 0 on, which is the usual one; NULL behind the last. */
const char *export_format(size_t i);

/* True when a format ("json", "folded", "html", "perfetto", ...) is not for terminals. */
bool export_is_binary(const char *format);

/* True when a format is a directory of files. */
bool export_is_directory(const char *format);

/* True when a format is a database, which may be there already: the recording is added to it. */
bool export_is_database(const char *format);

/* What a file of a format's lines ends with, such as ".jsonl"; NULL: what it writes are no lines that can be cut apart.
 */
const char *export_end(const char *format);

/* True when several recordings go into one: a database, or lines of which each says of which run it is. */
bool export_joins(const char *format);

/* True when such lines are in the order of time; the first of them is a title. */
bool export_is_timed(const char *format);
bool export_is_titled(const char *format);

/* True when a format can have the calls of a guest and those of processes of the host side by side. */
bool export_takes_both(const char *format);

/* True when what a format has are sums, so that the order of events does not matter. */
bool export_is_sums(const char *format);

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

/* True when a format can compare two recordings. */
bool export_compares(const char *format);

/*
 * What is given from now on is of another recording, with which the first one is compared; until this is called with
 * NULL. The other one, too, has to outlive the exporter, and comes first.
 */
void exporter_compare(struct exporter *e, struct recording *other);

/*
 * Takes the calls of a guest, in place of exporter_event, or after it where export_takes_both. The replay has to
 * outlive the exporter. `which` chooses them. 0, -ENOMEM, what write returned; -ENOTSUP: the format has none.
 */
int exporter_guest(struct exporter *e, struct replay *p, const struct functions_options *which);

/*
 * Writes what stands at the end, once recording_next has given all. 0, -ENOMEM, what write returned; another -errno
 * with one line in `why` when execs.jsonl cannot be read: then all else was written; -EINVAL with one: the format
 * cannot have what is in the recording.
 */
int exporter_finish(struct exporter *e, struct buf *why);

/* How much was written up to now. */
uint64_t exporter_bytes(const struct exporter *e);

/* True when memory was not to be used for all different paths of calls: the time of some was given to those around. */
bool exporter_full(const struct exporter *e);

#endif
