/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory that a run is recorded into, and run.json in it: what the run is. Processes of the tree may be able to
 * rename the directory and to put others in its place, so it is opened once, and all that is written there is new
 * through its descriptor.
 */
#ifndef EXECTRACE_PICK_RUN_RUNDIR_H
#define EXECTRACE_PICK_RUN_RUNDIR_H

#include <exectrace/base/buf.h>
#include <exectrace/target/exec/print.h>
#include <stdint.h>

#define RUNDIR_DEFAULT "exectrace.data"

struct rundir {
	char *path;         /* as the user gave it, without slashes at its end; NULL: nothing is recorded */
	int fd;             /* the directory; -1: none */
	int execs;          /* execs.jsonl; -1: nothing is in it yet */
	uint64_t written;   /* bytes in it */
	int failed;         /* -errno: writing has failed, which is said once; 0: all is well */
	struct buf head;    /* the object without its end */
	uint64_t realtime;  /* of the start, ns */
	uint64_t monotonic; /* clock_now */
};

/*
 * Makes the directory, for nobody but the user. A recording of an earlier run that is there becomes PATH.old, in place
 * of an older one; an empty directory is used as it is. Anything else is left alone. 0; -errno with a line in why, and
 * nothing changed.
 */
int rundir_make(struct rundir *dir, const char *path, struct buf *why);

/*
 * Writes run.json, which says that the run has begun. engine: its name; command: its words, ended by NULL; given: what
 * exectrace itself was given, as lines. 0 or -errno.
 */
int rundir_begin(struct rundir *dir, const char *engine, char *const *command, const struct strv *given);

/* Adds a line to execs.jsonl, whole or not at all. 0 or -errno, the same for all that follow a failure. */
int rundir_exec(struct rundir *dir, const struct buf *line);

/* Replaces it by one that says how it ended. end: of the command, not known with -D; its usage is that of the whole
 * tree. 0 or -errno. */
int rundir_end(struct rundir *dir, const struct exec_end *end);

/* Frees what it holds. */
void rundir_release(struct rundir *dir);

#endif
