/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks to calls. A block at the beginning of a function is a call; one in the middle of a function goes on in it, so
 * all that it had called is over. A function that is in its middle without having been called was called before the
 * log began, or on another stack, of which such logs do not tell.
 */
#ifndef EXECTRACE_SRC_RECORD_IMPORT_MACHINE_H
#define EXECTRACE_SRC_RECORD_IMPORT_MACHINE_H

#include "exec_line.h"
#include "private.h"

#define MACHINE_CPUS 1024

struct block_place;
struct cpu;

struct block_machine {
	struct import *in;
	struct product out;
	struct block_place *cache;
	struct cpu *cpus[MACHINE_CPUS];
	bool timed;     /* the log has times; else blocks are counted */
	uint64_t first; /* ns: of the first time in the log, */
	int64_t sum;    /* of all differences, */
	uint64_t now;   /* since the first */
};

/* Begins the recording. timed: the log has times. 0, -ENOMEM, -errno. machine_end in any case. */
int machine_begin(struct block_machine *m, struct import *in, bool timed);

/* Takes a line of kind EXEC_BLOCK, EXEC_TIME or EXEC_LOST. 0, -ENOMEM, -errno. */
int machine_take(struct block_machine *m, enum exec_kind kind, const struct exec_line *line);

/* Ends the recording, or gives it up when rc, what reading the log came to, is not 0. rc, or what failed. */
int machine_end(struct block_machine *m, int rc);

#endif
