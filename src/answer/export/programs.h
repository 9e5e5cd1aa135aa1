/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs of a run as slices: what each process ran, from one exec to the next or to its end. Two sources are made
 * one: recorded processes, with forks and exact times, and execs.jsonl, which has all processes of the tree.
 */
#ifndef EXECTRACE_SRC_ANSWER_EXPORT_PROGRAMS_H
#define EXECTRACE_SRC_ANSWER_EXPORT_PROGRAMS_H

#include "private.h"
#include <exectrace/answer/format/tracks.h>

struct ran_program;

/* What a recorded process runs at the moment. */
struct running {
	bool known, closed;
	bool called; /* it has made system calls */
	uint64_t since;
	char *name, *command;
};

struct ran_programs {
	struct exporter *e;
	struct tracks *tracks;
	struct running *running; /* by the numbers of processes */
	size_t n_running;
	struct ran_program *others; /* from execs.jsonl */
	size_t n_others, cap_others;
	const struct recorded_process **sorted; /* by pid and start */
	uint64_t last;                          /* time seen */
};

/* Takes an event of a recorded process. 0 or -ENOMEM. */
int programs_event(struct ran_programs *p, const struct recorded_event *event);

/* Takes a line of execs.jsonl; see execs_fn. */
int programs_exec(struct ran_programs *p, const struct exec_record *rec, const struct exec_end *end);

/* Writes what is left when all was taken. 0, -ENOMEM, or what spool_drain returned. */
int programs_finish(struct ran_programs *p);

/* Frees everything. */
void programs_release(struct ran_programs *p);

#endif
