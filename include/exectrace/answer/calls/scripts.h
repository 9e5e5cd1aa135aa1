/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which script an interpreter runs, as its calls tell. */
#ifndef EXECTRACE_ANSWER_CALLS_SCRIPTS_H
#define EXECTRACE_ANSWER_CALLS_SCRIPTS_H

#include <exectrace/answer/recording/pool.h>
#include <exectrace/answer/recording/recording.h>

struct script_state;

/* All 0 at first. */
struct scripts {
	struct script_state *states; /* by the number of the process */
	size_t n, cap;
	struct pool names;
};

/* Notes what an event says of scripts; all are to be given, in their order. 0 or -ENOMEM. */
int scripts_take(struct scripts *scripts, const struct recorded_event *event);

/*
 * The name, without directories, of the file that the interpreter of a process reads: the one that its command line
 * names, or for a shell one that it reads on behalf of that (`. lib.sh`), as long as it has that open. A child has its
 * parent's. NULL: none is known, or the process is no interpreter.
 */
const char *scripts_find(const struct scripts *scripts, const struct recorded_process *process);

void scripts_release(struct scripts *scripts);

#endif
