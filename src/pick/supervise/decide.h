/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one decision on an exec: what is to be done with it. Making it changes nothing and says nothing, so it can be
 * made in the engine's thread (a fast_path), made again when something has changed, and applied in one place (execs.c).
 */
#ifndef EXECTRACE_SRC_PICK_SUPERVISE_DECIDE_H
#define EXECTRACE_SRC_PICK_SUPERVISE_DECIDE_H

#include "guest.h"
#include <exectrace/pick/rules/ruleset.h>
#include <exectrace/target/exec/record.h>
#include <stdbool.h>
#include <sys/types.h>

struct supervisor;
struct job;

enum decision_kind {
	DECISION_ATTEMPT,   /* it will fail, or its caller is gone: left alone, no command */
	DECISION_PASS,      /* a command that no rule picks, or one that is to be ignored: left alone */
	DECISION_LIST,      /* a command, and --list: shown with what each rule says of it, left alone */
	DECISION_TAKE,      /* a rule picks it */
	DECISION_TRACED,    /* a rule picks it, but it has a tracer already */
	DECISION_COVERED,   /* a rule picks it, but `job`'s tool has it already */
	DECISION_RESUME,    /* it is the execve that a job waits for, tried again: it goes on */
	DECISION_AGAIN,     /* its tracer was told, and wants it to restart */
	DECISION_UNSETTLED, /* from here on: it waits */
	DECISION_SETTLE = DECISION_UNSETTLED, /* it shows how the execve that `job` waits for has ended: then to be
	                                         decided again */
	DECISION_ASK,                         /* the tracer of `job` is to be told first */
	DECISION_WAIT,                        /* ... has not answered yet: to be reported again */
	DECISION_LOOK,                        /* its file has to be looked at elsewhere: to be reported again */
	DECISION_DEFER,                       /* another exec has to be settled first: to be reported again */
};

/* How the execve of a process that a tool has been handed in it has ended. */
enum exec_outcome { OUTCOME_OPEN, OUTCOME_GOOD, OUTCOME_FAILED };

struct decision {
	enum decision_kind kind;
	bool leads;                 /* its thread leads its process */
	bool counts;                /* as a command: the first attempt of a process whose threads may all try */
	bool setid;                 /* a set-id program that runs unprivileged */
	struct verdict verdict;     /* of the rules, not yet counted */
	struct job *job;            /* see decision_kind; NULL */
	enum exec_outcome outcome;  /* DECISION_SETTLE */
	pid_t tracer;               /* DECISION_TRACED */
	const struct action *unfit; /* of a rule that matched, but is not for this program; NULL: none */
	enum guest_fit fit;         /* why not */
};

/* Decides on the exec reported last, whose record is filled as far as that takes. */
void decide(const struct supervisor *s, struct exec_record *rec, struct decision *decision);

#endif
