/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the functions of a guest took: a row for each function (or module, task, CPU), made by a replay. All rows' own
 * time together is all time that was selected: what is filtered away, what runs in no known function, and interrupts
 * that are not wanted have rows of their own, and are in no other row's own time.
 */
#ifndef EXECTRACE_ANSWER_REPORT_FUNCTIONS_H
#define EXECTRACE_ANSWER_REPORT_FUNCTIONS_H

#include <exectrace/answer/replay/replay.h>
#include <exectrace/answer/report/shapes.h>
#include <exectrace/answer/report/stats.h>

/* What has a row. */
enum functions_by {
	FUNCTIONS_BY_FUNCTION,
	FUNCTIONS_BY_MODULE,
	FUNCTIONS_BY_TASK,    /* time and calls only; the same for those that follow */
	FUNCTIONS_BY_PROCESS, /* its tasks together */
	FUNCTIONS_BY_CPU,
};

enum functions_irq {
	FUNCTIONS_IRQ_TOO,
	FUNCTIONS_IRQ_ONLY, /* only what runs in interrupts */
	FUNCTIONS_IRQ_NO,   /* interrupts are one row, but for functions that were asked for */
};

/* Whether that leaves a call in. asked: it is in an interrupt, but somebody asked for it, by name or module. */
static inline bool functions_irq_wants(enum functions_irq irq, const struct replay_frame *frame, bool asked)
{
	return irq == FUNCTIONS_IRQ_TOO || frame->in_interrupt == (irq == FUNCTIONS_IRQ_ONLY) ||
	       (irq == FUNCTIONS_IRQ_NO && asked);
}

/*
 * Whether an interrupt ran a call that is within a scope, without being within it itself, or a caller of the call is
 * such a one. below: the frame before it is of its caller; inside, asked: the flags of frames for the one and the
 * other.
 */
static inline bool functions_irq_ran(const struct replay_frame *frame, bool below, unsigned inside, unsigned asked)
{
	return below && frame->in_interrupt && (frame[-1].flags & asked || !(frame[-1].flags & inside));
}

/* What to count; all 0: all calls, by function. Strings are the caller's. */
struct functions_options {
	enum functions_by by;
	enum functions_irq irq;
	bool several;         /* of several guests, whose recordings may be closed while rows are wanted: functions of
	                         the same name and module have one row */
	bool callees;         /* rows tell which functions they call */
	bool distribution;    /* rows have percentiles */
	bool elapsed;         /* of a tree: totals have what calls waited in them */
	bool interrupted;     /* of a tree: what an interrupt interrupted stands above it (CALLTREE_INTERRUPTED) */
	bool delays;          /* rows tell how long they delayed the guest, which takes a replay more */
	bool growth;          /* by function, of one guest: rows tell whether calls cost more and more */
	const char *under;    /* only this function (a glob(7) pattern) and what it calls; NULL: all */
	const char *task;     /* only tasks with such a name (a pattern), or this process id; NULL: all */
	const uint32_t *pids; /* only these; n_pids of them, 0: all */
	size_t n_pids;
	uint64_t min, max; /* calls that are shorter, or longer, are filtered away, in ticks; 0: none are */
};

/* A function that a row calls. */
struct functions_callee {
	const char *name;
	uint64_t time;  /* of these calls */
	uint64_t count; /* of them */
};

struct functions_row {
	const char *name;
	const char *module; /* "" unknown, or not a function */
	uint64_t address;   /* 0: unknown */
	uint32_t pid;       /* of a task */
	bool special;       /* it stands for what is in no other row */
	uint64_t count;     /* calls */
	uint64_t endless;   /* those whose end was not seen; they last as long as the recording shows them */
	uint64_t time; /* what the calls ran, with those that they made; a call within a call of its own row is in it */
	uint64_t self; /* what they ran themselves */
	uint64_t inner;   /* what the calls ran that they made */
	uint64_t elapsed; /* from the beginnings of the calls to their ends; of calls within calls as `time` */
	uint64_t waited;  /* of that their tasks had no CPU for so long */
	uint64_t delay;   /* of that the chain of who waited for whom (answer/waits/wait_chain.h) was at their task */
	struct call_stats each;           /* calls that ended, in ticks */
	struct functions_callee *callees; /* those that took the most first; when they are asked for */
	size_t n_callees;
	struct growth_fit growth; /* when it is asked for */
	const char *often;        /* the function that its late calls call several times each; "" none */
	bool inside;              /* what grows is one call in it, of a function that has a row of its own */
};

/* What rows are ordered by: the largest first, names from a to z. */
enum functions_sort {
	FUNCTIONS_SORT_BEST, /* by delay where it is known, else by time */
	FUNCTIONS_SORT_TIME,
	FUNCTIONS_SORT_SELF,
	FUNCTIONS_SORT_COUNT,
	FUNCTIONS_SORT_AVERAGE,
	FUNCTIONS_SORT_INNER,
	FUNCTIONS_SORT_MIN,
	FUNCTIONS_SORT_MAX,
	FUNCTIONS_SORT_P99,
	FUNCTIONS_SORT_NAME,
	FUNCTIONS_SORT_DELAY,
	FUNCTIONS_SORT_ELAPSED,
	FUNCTIONS_SORT_WAITED,
	FUNCTIONS_SORT_GROWTH, /* those whose calls cost more and more, by what they took */
};

struct report_functions;

/* A new one; the options and what they point to have to stay. NULL: no memory. */
struct report_functions *functions_new(struct replay *p, const struct functions_options *options);

/* Frees it and its rows. NULL is allowed. */
void functions_free(struct report_functions *f);

/* Replays the recording and fills the rows. 0 or -ENOMEM. */
int functions_count(struct report_functions *f);

/* With a second replay, of the same recording or of another one, in addition; options.several is set. */
int functions_count_more(struct report_functions *f, struct replay *p);

/* The rows that have something to tell, *n of them. 0 or -ENOMEM. */
int functions_rows(struct report_functions *f, enum functions_sort sort, const struct functions_row *const **rows,
                   size_t *n);

/* Whether it is known what delayed the guest. */
bool functions_has_delays(const struct report_functions *f);

/* All own time together, in ticks. */
uint64_t functions_total(const struct report_functions *f);

/* Calls that were counted in rows, and those that were filtered away. */
uint64_t functions_calls(const struct report_functions *f);
uint64_t functions_filtered(const struct report_functions *f);

#endif
