/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directory that a run is recorded into, and run.json in it: what the run is. */
#ifndef EXECTRACE_SRC_SUPERVISE_RUNDIR_H
#define EXECTRACE_SRC_SUPERVISE_RUNDIR_H

#include <exectrace/base/buf.h>
#include <exectrace/exec/print.h>
#include <stdint.h>

#define RUNDIR_DEFAULT "exectrace.data"

struct rundir {
	const char *path;   /* NULL: nothing is recorded */
	struct buf head;    /* the object without its end */
	uint64_t realtime;  /* of the start, ns */
	uint64_t monotonic; /* clock_now */
};

/* Makes the directory; one that is there becomes PATH.old, in place of an older one of ours. 0 or -errno. */
int rundir_make(struct rundir *dir, const char *path);

/*
 * Writes run.json, which says that the run has begun. engine: its name; command: its words, ended by NULL. 0 or -errno.
 */
int rundir_begin(struct rundir *dir, const char *engine, char *const *command);

/* Replaces it by one that says how it ended. end: of the command; not known with -D. 0 or -errno. */
int rundir_end(struct rundir *dir, const struct exec_end *end);

/* Frees what it holds. */
void rundir_release(struct rundir *dir);

#endif
