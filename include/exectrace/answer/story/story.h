/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recorded run as a whole: its tree, and what its processes went through. Times are ns since it began. */
#ifndef EXECTRACE_ANSWER_STORY_STORY_H
#define EXECTRACE_ANSWER_STORY_STORY_H

#include <exectrace/answer/recording/program.h>
#include <exectrace/answer/recording/tree.h>
#include <exectrace/answer/story/history.h>

struct story {
	struct recording *recording;
	struct process_tree *tree;
	struct history history;
	const struct tree_node *root; /* COMMAND; NULL: nothing was recorded */
	uint64_t wall_start;          /* of the tree's times */
	uint64_t event_start;         /* the same moment, as events have it */
	uint64_t end;                 /* of the run, ns since it began */
};

/* How to read it; all 0 is the default. */
struct story_options {
	bool accesses; /* those of each process are kept */
	/* Called for each system call, in the order in which they ended. NULL: nothing is. */
	void (*call)(void *ctx, const struct recorded_event *event, bool unfinished);
	void *ctx;
};

/* Reads a recording that was not read from yet. 0 or -ENOMEM. */
int story_read(struct story *s, struct recording *r, const struct story_options *options);

void story_release(struct story *s);

/* When a process began and ended. One that has not ended does so with the run. */
uint64_t story_start(const struct story *s, const struct tree_node *node);
uint64_t story_end(const struct story *s, const struct tree_node *node);

/* A time of an event, and back. */
uint64_t story_time(const struct story *s, uint64_t event);
uint64_t story_event(const struct story *s, uint64_t time);

/* What is known of a process; NULL: its calls were not recorded. */
struct process_history *story_history(const struct story *s, const struct tree_node *node);

/* The history of the first thread of a process; NULL: the same. */
struct thread_history *story_main_thread(const struct story *s, const struct tree_node *node);

/* The directory that its last program began in, or else was in at last; "" unknown. */
const char *story_cwd(const struct story *s, const struct tree_node *node);

/* The signal of a recorded process that a process ended by, or may have: to it, or to its group; NULL: none is known.
 */
const struct kill_sent *story_kill_of(const struct story *s, const struct tree_node *node);

/* True when it ended, and not well. */
bool story_failed(const struct tree_node *node);

/* True when `node` is `above`, or below it. False when it is NULL. */
bool story_is_below(const struct tree_node *node, const struct tree_node *above);

/*
 * What a process ran at a time, as a command line: that of its parent before its first exec, where that is known. Where
 * it is not known when they were executed, its last one.
 */
const char *story_command_at(const struct story *s, const struct tree_node *node, uint64_t time);

/* When a process executed its i-th program, below n_commands; 0: unknown. */
uint64_t story_exec(const struct story *s, const struct tree_node *node, unsigned i);

/* True when both have executed a program of the same name last. False without memory. */
bool story_same_program(const struct tree_node *a, const struct tree_node *b);

/* The name of that program: "make" of "/usr/bin/make all". Adds it. 0 or -ENOMEM. */
int story_program(struct buf *out, const struct tree_node *node);

/* True when it has executed one of these programs last; NULL ends the list. */
bool story_runs_one_of(const struct tree_node *node, const char *const *names);

/* The name of the program of a command line. */
int story_program_of(struct buf *out, const char *command);

/* The script that an interpreter runs, as "a.py" of "python3 a.py 1", in the command line; 0 bytes: there is none. */
const char *story_script(const char *command, size_t *n);

#endif
