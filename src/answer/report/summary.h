/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind answer/report/summary.h share. */
#ifndef EXECTRACE_SRC_ANSWER_REPORT_SUMMARY_H
#define EXECTRACE_SRC_ANSWER_REPORT_SUMMARY_H

#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/pool.h>
#include <exectrace/answer/report/summary.h>

#define RECENT 512 /* a power of two, above the numbers of most calls */

/* A call by number. */
struct call_kind {
	uint32_t nr, arch;
	uint32_t number;  /* the same for all kinds with this name */
	const char *name; /* of the pool */
	struct summary_row *row;
};

struct summary {
	struct recording *recording;
	enum summary_by by;
	unsigned depth;
	struct call_kind *recent[RECENT];
	struct idmap kinds;    /* by number and machine */
	struct idmap by_text;  /* rows by the numbers of text and call, each plus 1 */
	struct idmap by_stack; /* rows by stack, file and call; by process and how many programs it has executed */
	struct pool texts;
	struct summary_row **rows;
	size_t n, cap;
	struct summary_row **processes; /* rows by the number of the process; NULL: none */
	size_t n_processes, cap_processes;
	struct idmap callers; /* threads and processes of this recording by row: the row */
	struct summary_row all;
	const char *dir;                           /* that names of files are relative to; NULL: none are */
	uint64_t last;                             /* when the last call returned */
	uint64_t before;                           /* how long the recordings before this one lasted */
	uint32_t threads_before, processes_before; /* that they had */
	struct summary_row *sorted;                /* what summary_rows gave; the histograms are those of `rows` */
};

/* The row of a process, made when it has none. NULL: no memory. */
struct summary_row *summary_process_row(struct summary *s, const struct recorded_process *p);

#endif
