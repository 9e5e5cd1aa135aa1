/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs in which something fails, and what must be the same as without (checks.c). */
#ifndef EXECTRACE_TESTS_FAULTS_CHECKS_H
#define EXECTRACE_TESTS_FAULTS_CHECKS_H

#include "faults.h"

struct scene {
	const struct action *action;
	const char *engine;
	const char *dir;
	bool behind;
	bool alone;      /* the command is one process */
	bool output;     /* with -o */
	const char *rec; /* its directory */
};

/* What is expected: the plain run, and exectrace's own messages in a run without faults. */
struct baseline {
	int status;
	struct lines out;
	int made;          /* files, or lines of a log */
	char matched[128]; /* "exectrace: N", of how many depends on when the daemon comes */
	char why[128];
};

/* An action without terminal, an engine and the rest. */
void scene_choose(struct scene *scene, struct rng *rng);
/* Fills in what is run. */
void scene_run(const struct setup *setup, const struct scene *scene, struct run *run);
/* Removes what a run has left in the directory. */
void scene_clean(const struct scene *scene);
/* Makes the two runs, or takes the results of an earlier trial. */
bool baseline_get(const struct setup *setup, const struct scene *scene, struct baseline *baseline);
/* The result is that of the plain run, or the command was not started; what is missing of ours has a reason. */
void scene_check(const struct setup *setup, const struct scene *scene, const struct run *run,
                 const struct baseline *baseline, struct verdict *verdict);
/* Adds to the detail of a verdict. */
void describe(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The name of a system call, or "?". */
const char *call_name(long nr);

#endif
