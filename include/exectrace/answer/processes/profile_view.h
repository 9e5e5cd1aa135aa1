/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile of processes (profile.h) as a tree for people, and as rows for machines. */
#ifndef EXECTRACE_ANSWER_PROCESSES_PROFILE_VIEW_H
#define EXECTRACE_ANSWER_PROCESSES_PROFILE_VIEW_H

#include <exectrace/answer/output/table.h>
#include <exectrace/answer/processes/profile.h>

struct profile_view {
	struct page *page;
	enum table_format format;
	bool full;      /* command lines uncut */
	bool state;     /* below each row what its last program began with */
	bool wide;      /* more columns */
	uint64_t start; /* of the run, as the tree has times */
};

/* The tree, for people. 0; -ENOMEM; -errno of a write. */
int profile_show_tree(const struct profile_view *view, const struct profile *p);

/* A row for each process that is asked for, as view->format says. The same. */
int profile_show_rows(const struct profile_view *view, const struct profile *p);

/* Adds the commands of a process, joined by " => "; room: bytes for them, SIZE_MAX: uncut. 0 or -ENOMEM. */
int profile_print_commands(struct buf *out, const struct tree_node *node, size_t room);

/* Adds " (fork)", with the name that it has given itself, when a process has executed nothing. 0 or -ENOMEM. */
int profile_print_fork(struct buf *out, const struct tree_node *node);

/* Adds bytes for people: "812", "1.52M". 0 or -ENOMEM. */
int profile_print_bytes(struct buf *out, uint64_t bytes);

#endif
