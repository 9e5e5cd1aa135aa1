/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls summed up: rows of counts and times. */
#ifndef EXECTRACE_ANSWER_REPORT_SUMMARY_H
#define EXECTRACE_ANSWER_REPORT_SUMMARY_H

#include <exectrace/answer/recording/recording.h>
#include <exectrace/answer/report/stats.h>

/* What has a row of its own. */
enum summary_by {
	SUMMARY_CALL,
	SUMMARY_PROCESS,
	SUMMARY_STACK, /* a call and the functions that made it */
	SUMMARY_PATH,
	SUMMARY_ERROR,   /* a call, its error and its file; those that went well have none */
	SUMMARY_COMMAND, /* the command line of the process */
};

/* What rows are ordered by: the largest first, names from a to z. */
enum summary_sort {
	SUMMARY_SORT_TOTAL,
	SUMMARY_SORT_COUNT,
	SUMMARY_SORT_ERRORS,
	SUMMARY_SORT_MIN,
	SUMMARY_SORT_AVG,
	SUMMARY_SORT_P50,
	SUMMARY_SORT_P99,
	SUMMARY_SORT_MAX,
	SUMMARY_SORT_NAME,
};

struct summary_row {
	struct call_stats stats; /* of a process: its own calls */
	const char *call;        /* name of the call; NULL: the rows are about something else */
	const char *what;        /* functions joined by " < ", the innermost first; a path; an error; a command line as
	                            summary_command has it; NULL: the call is all */
	const char *path;        /* SUMMARY_ERROR: the file that it was about, "" none; else NULL */
	const struct recorded_process *process; /* SUMMARY_PROCESS, else NULL */
	uint64_t total;                         /* with those of its descendants; else stats.total */
	uint64_t count, errors;                 /* the same */
	unsigned depth;                         /* of a process below one that has a row */
	uint64_t first, last;        /* when its calls returned, in the last recording, ns as events have it */
	uint32_t threads, processes; /* how many made the calls of total */
	/* private: the same of recordings before; the one that called last; those without descendants */
	uint64_t before;
	const struct recorded_thread *thread;
	uint32_t own_threads, own_processes;
};

struct summary;

/*
 * A new one for a recording, which has to outlive it, and be opened with names for SUMMARY_STACK. depth: how many
 * functions SUMMARY_STACK tells apart at most; 0: all. NULL when there is no memory.
 */
struct summary *summary_new(struct recording *r, enum summary_by by, unsigned depth);

/* Files below dir, which is not copied, get names relative to it from now on; NULL: none do. */
void summary_shorten(struct summary *s, const char *dir);

/*
 * All of the recording was added: it may be closed now. What is added after summary_join is of that recording, and
 * counts together with what was added before. Not for SUMMARY_PROCESS.
 */
void summary_leave(struct summary *s);
void summary_join(struct summary *s, struct recording *r);

/*
 * Adds what a process is called: its command line as a shell would read it; that of its parent, and " (fork)", when it
 * has executed nothing; its file when it has none. 0 or -ENOMEM.
 */
int summary_command(struct buf *out, const struct recorded_process *p);

/* Frees it and its rows. NULL is allowed. */
void summary_free(struct summary *s);

/* Adds the call that is the event; others are passed over. 0 or -ENOMEM. */
int summary_add(struct summary *s, const struct recorded_event *event);

/*
 * The rows, once all is added, in *rows, *n of them. Processes come as trees, each one before its children, the order
 * is that among siblings, and those without calls have rows when a descendant has some. 0 or -ENOMEM.
 */
int summary_rows(struct summary *s, enum summary_sort sort, const struct summary_row **rows, size_t *n);

/* All calls together: only stats, total, count, errors, threads and processes of a row. */
const struct summary_row *summary_all(const struct summary *s);

/* From the beginning of the recording to the last call that was added, ns; of several ones, the sum. */
uint64_t summary_elapsed(const struct summary *s);

/* How many calls a second there were, from the first to the last; 0 when there are no two of different times. */
double summary_rate(const struct summary_row *row);

#endif
