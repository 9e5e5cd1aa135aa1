/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is measured in each recording of two sets, by name: how often something is there, and what it took. Where a
 * recording does not have it, it is there 0 times and took nothing.
 */
#ifndef EXECTRACE_ANSWER_SETS_MEASURES_H
#define EXECTRACE_ANSWER_SETS_MEASURES_H

#include <exectrace/answer/trend/two_samples.h>
#include <stdbool.h>
#include <stdint.h>

#define MEASURES_CHANCE 0.05 /* q up to which a difference is beyond noise */

enum measure_side { SIDE_A, SIDE_B, SIDES };

enum measure_kind {
	MEASURE_RUN,      /* of the run as a whole: ns, numbers */
	MEASURE_OUTCOME,  /* how it ended */
	MEASURE_END,      /* a program, and how it failed */
	MEASURE_COMMAND,  /* a command line */
	MEASURE_ERROR,    /* a call, its error and its file */
	MEASURE_FUNCTION, /* or system call, and its module: with its own time */
	MEASURE_PATH,     /* calls that lead to one: the same */
	MEASURE_KINDS,
};

/* Where a name was measured. */
struct measured {
	size_t in;                          /* recordings of the side that have it */
	struct sample_spread amount, count; /* over all recordings of the side */
};

/* A name. Texts stay until measures_free. */
struct measure {
	enum measure_kind kind;
	const char *name, *more;
	struct measured sides[SIDES];
	double share[SIDES]; /* of the recordings of a side: those that have it */
	/*
	 * Chance: the p of two_samples_p, corrected by two_samples_correct for the tests of the same kind, those of
	 * amounts and those of counts each for itself; 1: not tested, since nothing could have come of it.
	 */
	double amount_q, count_q;
	bool beyond; /* one of these is beyond noise, ... */
	bool only;   /* ... or all of one side have it and none of the other */
};

struct measures;

/* NULL without memory. */
struct measures *measures_new(void);

/* NULL is allowed. */
void measures_free(struct measures *m);

/* What is added from now on is of another recording, of this side. 0 or -ENOMEM. */
int measures_begin(struct measures *m, enum measure_side side);

/* How many recordings a side has. */
size_t measures_recordings(const struct measures *m, enum measure_side side);

/* Adds to what the recording has of a name; texts are copied. 0 or -ENOMEM. */
int measures_add(struct measures *m, enum measure_kind kind, const char *name, const char *more, double amount,
                 uint64_t count);

/*
 * Once all is added: the names of a kind, *n of them, those beyond noise first, then by how much the sides differ: in
 * how many recordings have it, then in what they have; files that are not there are the last of errors. They stay until
 * the next call. part: those that have less than this part of the amount, and of the count, of all recordings together
 * are left out before anything is tested, which says nothing about the sides; 0: none are. 0 or -ENOMEM.
 */
int measures_rows(struct measures *m, enum measure_kind kind, double part, const struct measure **rows, size_t *n);

#endif
