/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording says, as measures (measures.h) of one that has just been begun there. In names the directory of the
 * run is ".", what is below /tmp is "?", and numbers of four digits or more, as those of processes and ports, are "#":
 * they are of no meaning for another run.
 */
#ifndef EXECTRACE_ANSWER_SETS_FACTS_H
#define EXECTRACE_ANSWER_SETS_FACTS_H

#include <exectrace/answer/calltree/calltree.h>
#include <exectrace/answer/recording/tree.h>
#include <exectrace/answer/report/summary.h>
#include <exectrace/answer/sets/measures.h>

/* Adds the run as a whole, how it and its processes ended, and their command lines. 0 or -ENOMEM. */
int facts_add_processes(struct measures *m, const struct process_tree *tree, const struct recording *r);

/* Adds the errors of a summary by SUMMARY_ERROR, to which all is added. 0 or -ENOMEM. */
int facts_add_errors(struct measures *m, struct summary *errors, const struct recording *r);

/*
 * Adds the functions, or the paths, of a finished tree that have own time, with that and their calls; `path` adds the
 * text of a path to out. 0 or -ENOMEM.
 */
int facts_add_functions(struct measures *m, const struct calltree *tree);
int facts_add_paths(struct measures *m, const struct calltree *tree,
                    int (*path)(struct buf *out, const struct calltree *tree, uint32_t node, bool people));

/* Adds a name as it is compared; dir: of the run, "" unknown. 0 or -ENOMEM. */
int facts_name(struct buf *out, const char *name, const char *dir);

#endif
