/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The `log` action: one line a process when it has ended (text, json), or all as a tree at the end of the run. */
#ifndef EXECTRACE_PICK_RUN_LOG_H
#define EXECTRACE_PICK_RUN_LOG_H

#include <exectrace/pick/action/action.h>
#include <exectrace/target/exec/print.h>

#define LOG_BUCKETS 1024u

/* One process in the tree. */
struct log_node {
	struct log_node *next;    /* all, in order of time */
	struct log_node *bucket;  /* of one hash of pids, newest first */
	struct log_node *parent;  /* nearest ancestor that is logged, NULL at the top */
	struct log_node *child;   /* first */
	struct log_node **grow;   /* where the next child is to be linked */
	struct log_node *sibling; /* next */
	struct exec_record rec;
	struct exec_end end;
	bool replaced; /* by a later exec of the same process */
};

struct log {
	struct log_node *all;
	struct log_node *bucket[LOG_BUCKETS];
	struct log_node *top;   /* first without a parent */
	struct log_node **grow; /* where the next one is to be linked */
	bool color;
	struct strv files;  /* written to in this run: emptied at the first line only */
	struct strv failed; /* could not be written to, which has been told */
};

/* Adds a process to the tree. The record is copied. NULL without memory. */
struct log_node *log_add(struct log *log, const struct exec_record *rec);

/* Notes how it ended. */
void log_end(struct log_node *node, const struct exec_end *end);

/* Adds the tree as text: durations, statuses, repeated siblings folded. 0 or -ENOMEM. */
int log_tree(const struct log *log, struct buf *out);

/* Writes text and a newline to the named file, or to standard error when name is NULL. 0 or -errno. */
int log_write(struct log *log, const char *name, const struct buf *text);

/* Whether a file could not be written to for the first time: only then it is to be told. */
bool log_failed_first(struct log *log, const char *name);

void log_release(struct log *log);

#endif
