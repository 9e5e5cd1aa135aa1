/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of each function by their shape: which functions they call, and whether once or several times. One among
 * many that calls another set is an odd one, and so is one whose result, where that was recorded, is not that of the
 * many. Of each function it is known whether its calls cost more and more.
 *
 * This goes along with a replay of another sink, or runs one of its own. Memory does not depend on how long the
 * recording is: of each function so many shapes are kept and no more. Nothing is said of functions that have more.
 *
 * Functions that are called or not depending on what else goes on (the slow path of a lock, page faults, scheduling)
 * belong to no shape.
 */
#ifndef EXECTRACE_ANSWER_REPORT_SHAPES_H
#define EXECTRACE_ANSWER_REPORT_SHAPES_H

#include <exectrace/answer/replay/replay.h>
#include <exectrace/answer/trend/growth.h>

#define SHAPES_MAX 32u    /* of a function */
#define SHAPES_RESULTS 8u /* of a function; of one that has more nothing is said of them */
#define SHAPES_CALLEES 24 /* functions that a call calls; a function with a call that has more has no shapes */

struct shapes;

/* What to look for; all 0: everything. Strings are the caller's. */
struct shapes_options {
	const char *function; /* only in functions with such a name (a glob(7) pattern); NULL: all */
	bool growth;          /* no shapes, only how costs grow */
};

/* Where code belongs to; what is further down is more to be looked at. */
enum shapes_code {
	SHAPES_KERNEL, /* firmware, too */
	SHAPES_PROGRAM,
	SHAPES_MODULE, /* of the kernel */
};

struct shapes_call {
	uint64_t number; /* among the calls of its function that ended, from 0 */
	uint32_t cpu;
	uint64_t at;   /* tick at which it began, ... */
	uint64_t left; /* ... and ended */
	const char *task;
	uint32_t pid;
	bool told; /* which task that is */
};

/* A function that is called by calls of a shape. */
struct shapes_callee {
	uint32_t function;
	bool more; /* than once */
};

struct shapes_shape {
	uint64_t hash; /* private */
	uint64_t count;
	struct shapes_call first, last;
	struct shapes_callee *callees; /* in the order of the first call */
	size_t n;
};

/* Calls of a function that returned the same. */
struct shapes_returned {
	int64_t value; /* for shapes_print_result */
	uint64_t count;
	struct shapes_call first, last;
};

/* How calls differ from the others in one function that they call, or do not. */
enum shapes_how {
	SHAPES_LACKS, /* the others do */
	SHAPES_ALSO,  /* the others do not */
	SHAPES_MORE,  /* the others do once, these several times */
	SHAPES_ONCE,  /* the other way round */
};

struct shapes_difference {
	uint32_t function;
	enum shapes_how how;
};

#define SHAPES_DIFFERENCES 6u /* that are kept */

/* Few calls of a function that differ from the many. */
struct shapes_odd {
	uint32_t function;
	enum shapes_code code;
	uint64_t calls; /* of the function, with those */
	uint64_t odd;   /* how many they are */
	struct shapes_call first, last;
	struct shapes_difference differences[SHAPES_DIFFERENCES]; /* in which all of them differ, `n` at most */
	size_t n;
	bool gives; /* they return this, and all others that, for shapes_print_result; n may be 0 */
	int64_t result, others;
	bool fails;  /* that is an error, or NULL, and what the others return is none */
	bool tasks;  /* the calls of the function are of several tasks */
	bool outer;  /* an odd one of another function, of the same code, is within the first of these calls */
	bool likely; /* it differs in little, is neither the first call nor the last one, and one of few in its file */
	double score;
};

/* A function whose calls cost more and more. */
struct shapes_grows {
	uint32_t function;
	enum shapes_code code;
	struct growth_fit fit;
	uint64_t last; /* tick at which its last call began, ... */
	uint32_t cpu;  /* ... and where */
	bool inside;   /* one call in it takes most of the time, of a function that is in the list, too */
};

/* New ones; the replay and the options' strings have to stay. NULL: no memory. */
struct shapes *shapes_new(struct replay *p, const struct shapes_options *options);

/* NULL is allowed. */
void shapes_free(struct shapes *s);

/* To be called by a sink for what it is told of. 0 or -ENOMEM. */
int shapes_enter(struct shapes *s, const struct replay_stack *stack);
int shapes_leave(struct shapes *s, const struct replay_stack *stack, const struct replay_call *call);

/* Replays the recording for nothing else. 0 or -ENOMEM. */
int shapes_run(struct shapes *s);

/* The odd ones, the most telling first; the caller frees *odd. 0 or -ENOMEM. */
int shapes_find_odd(const struct shapes *s, struct shapes_odd **odd, size_t *n);

/*
 * Functions whose calls cost more and more, and take `least` ticks or more together; those that take the most first.
 * The caller frees *grows. 0 or -ENOMEM.
 */
int shapes_find_growth(const struct shapes *s, uint64_t least, struct shapes_grows **grows, size_t *n);

/* How the cost of a function's calls grows. False: it does not. */
bool shapes_growth(const struct shapes *s, uint32_t function, struct growth_fit *fit);

/* The shapes of a function, in the order of their first calls: *n of them, or NULL when it has too many. */
const struct shapes_shape *shapes_of(const struct shapes *s, uint32_t function, size_t *n);

/*
 * What the calls in its shapes returned, in the order of their first calls: *n of them, or NULL when it was not
 * recorded, or there is too much.
 */
const struct shapes_returned *shapes_returned(const struct shapes *s, uint32_t function, size_t *n);

/* Adds a result: "-22 (EINVAL)", "NULL", "a pointer". 0 or -ENOMEM. */
int shapes_print_result(struct buf *out, const struct replay_function *f, int64_t result);

/* How many of its calls are in shapes. */
uint64_t shapes_calls(const struct shapes *s, uint32_t function);

#endif
