/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an exporter is asked for. */
#ifndef EXECTRACE_ANSWER_EXPORT_EXPORTER_OPTIONS_H
#define EXECTRACE_ANSWER_EXPORT_EXPORTER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct budget;
struct buf;

enum export_weight {
	EXPORT_WEIGHT_TIME,  /* ns in system calls; ns on processors, of samples */
	EXPORT_WEIGHT_COUNT, /* how many */
};

struct export_options {
	int directory;             /* where a format that is one (export_is_directory) writes, empty; 0: none */
	const char *path;          /* of the file of a format that is a database (export_is_database) */
	struct buf *why;           /* gets a line when what such a format returns does not say enough */
	struct budget *budget;     /* the exporter takes part in one of its two times; NULL: everything is written */
	enum export_weight weight; /* of folded stacks */
	uint64_t from, to;         /* what lasts, such as a process, is cut to this span (ns); to 0: to the end */
	uint64_t every; /* ns: what is of the next such stretch of the recording is written behind a cut; 0: none */
	/* Is a process wanted that only execs.jsonl knows? NULL: all are. */
	bool (*wants)(void *user, uint32_t pid, const char *comm);
	/* Takes n bytes of output; not when the budget measures. 0; -errno, which is what the exporter's functions then
	 * return. */
	int (*write)(void *user, const char *bytes, size_t n);
	/* See `every`: what was given to write up to now are whole lines. 0 or -errno, likewise. */
	int (*cut)(void *user);
	void *user; /* handed to all of these */
};

#endif
