/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as a whole: all call paths with what they took, who did what when, and what marks its course. Made of the
 * calls of a guest (or of an imported log), of system calls, or of samples.
 */
#ifndef EXECTRACE_ANSWER_CALLTREE_OVERVIEW_H
#define EXECTRACE_ANSWER_CALLTREE_OVERVIEW_H

#include <exectrace/answer/calltree/calltree.h>
#include <exectrace/answer/replay/lanes.h>
#include <exectrace/answer/replay/replay.h>

#define SURVEY_DEPTH 512u /* of paths: what is deeper counts for the function at that depth */
#define SURVEY_PATHS (3u << 19)
#define SURVEY_SPANS 4096u /* the longest initialisations are kept */

/* The modules of entries that are not functions: names of tasks and threads, and what all interrupts are below. */
#define SURVEY_TASK "[task]"
#define SURVEY_INTERRUPTS "[interrupt]"

/* Groups of lanes. */
enum overview_group {
	SURVEY_CPUS,    /* id: its number */
	SURVEY_TASKS,   /* of a guest; id: pid, sub: number of the stack */
	SURVEY_THREADS, /* of the host; id: pid, sub: tid */
	SURVEY_GROUPS,
};

/* Kinds of work of a guest. */
enum overview_guest_kind {
	SURVEY_KERNEL,
	SURVEY_MODULE,
	SURVEY_PROGRAM,
	SURVEY_INTERRUPT,
	SURVEY_IDLE,
	SURVEY_FIRMWARE, /* what runs before the kernel */
	SURVEY_NOWHERE,  /* in no known function */
	SURVEY_GUEST_KINDS,
};

/* Kinds of system calls. */
enum overview_call_kind {
	SURVEY_WAIT, /* for others, or for time to pass */
	SURVEY_FILE,
	SURVEY_NETWORK,
	SURVEY_MEMORY,
	SURVEY_PROCESS,
	SURVEY_OTHER,
	SURVEY_CALL_KINDS,
};

/* Kinds of code that samples are of. */
enum overview_sample_kind {
	SURVEY_IN_KERNEL,
	SURVEY_IN_PROGRAM,
	SURVEY_IN_LIBRARY,
	SURVEY_SAMPLE_KINDS,
};

/* What marks the course of a boot. */
struct overview_span {
	bool phase; /* part of the whole; else the call of a function that initialises something */
	uint64_t from, to;
	const char *name;
	const char *module; /* of the function; "" for phases */
};

struct overview;

/* *ret is set on success only. 0 or -ENOMEM. */
int overview_new(struct overview **ret);

/* Frees it. NULL is allowed. */
void overview_free(struct overview *s);

/*
 * Replays a guest's recording into a side of the paths, below the names of tasks; lanes and spans are those of side 0.
 * 0 or -ENOMEM.
 */
int overview_guest(struct overview *s, struct replay *p, unsigned side);

/*
 * Takes an event of a recording that was opened with names: a system call is the last function of its stack, "[read]",
 * below the name of its thread; a sample is of the last function itself. Both are not to be mixed; others may be
 * passed, too. One recording a side. 0 or -ENOMEM.
 */
int overview_event(struct overview *s, struct recording *r, const struct recorded_event *event, unsigned side);

/* Once all is there. */
void overview_finish(struct overview *s);

/* The paths: linked, and with totals, once overview_finish was called. */
struct calltree *overview_paths(struct overview *s);

/* Of side 0; NULL when there was nothing. */
const struct lanes *overview_activity(const struct overview *s);

/* The spans, *n of them: phases in order, then others, the longest first. */
const struct overview_span *overview_spans(const struct overview *s, size_t *n);

/* enum overview_guest_kind of what a function does. */
unsigned overview_kind_of(const struct replay_function *f);

/* True when it is of a guest's calls; of samples. */
bool overview_is_guest(const struct overview *s);
bool overview_is_sampled(const struct overview *s);

#endif
