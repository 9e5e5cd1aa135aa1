/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of a guest as lines, in the order in which they began, each with how long it took. That is known only when
 * the call is over, so the recording is gone through twice: the first time for the few calls that last so long that too
 * many others begin in between. Memory does not depend on how long the recording is.
 */
#ifndef EXECTRACE_ANSWER_REPORT_CALLTRACE_H
#define EXECTRACE_ANSWER_REPORT_CALLTRACE_H

#include <exectrace/answer/report/functions.h>
#include <exectrace/answer/report/values.h>

/* Which calls; all 0: all of them. Strings are the caller's. */
struct calltrace_options {
	struct functions_options which; /* `by`, `callees`, `distribution` mean nothing here */
	uint32_t depth;                 /* levels of calls that are shown; 0: all */
	enum call_values values;        /* how arguments and results are told */
	bool trees;                     /* lines tell where trees begin and end within others */
	uint32_t window;                /* calls that are held back until they end; 0: as many as is good */
};

enum call_line_kind {
	CALL_LINE_CALL,
	CALL_LINE_START, /* of a tree within another one of the same stack; its first call is the next line */
	CALL_LINE_END,   /* of such a tree */
};

struct call_line {
	enum call_line_kind kind;
	uint32_t function;  /* number in the replay */
	uint32_t depth;     /* in its tree, from 0 */
	uint64_t tree;      /* its number, in the order in which they began */
	bool interrupt;     /* it is, or is in, one */
	bool ended;         /* false: still open at the end of the recording */
	bool seen;          /* its end was; else the duration is the longest possible, or the shortest when not ended */
	uint64_t entered;   /* tick */
	uint64_t duration;  /* ticks from its beginning to its end, whatever happened in between */
	uint64_t ran;       /* what it ran, with the calls that it made */
	uint64_t waited;    /* for so long its task had no CPU */
	uint64_t self;      /* what it ran itself */
	const char *args;   /* see options.values, answer/report/values.h; NULL: not recorded; valid ... */
	const char *result; /* ... until call_line_fn returns */
	/* Who did it. */
	uint64_t stack; /* as recorded */
	bool told;      /* which task that is */
	uint32_t pid, tgid;
	const char *task;
	uint32_t cpu; /* where it began */
};

/* Takes a line. 0, or -errno to end it. */
typedef int call_line_fn(void *ctx, const struct call_line *line);

/* Gives all lines to fn. 0; -ENOMEM; what fn returned. */
int calltrace_run(struct replay *p, const struct calltrace_options *options, call_line_fn *fn, void *ctx);

#endif
