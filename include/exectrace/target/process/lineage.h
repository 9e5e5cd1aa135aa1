/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who descends from whom within the tree, also after parents have ended: /proc forgets a parent the moment it dies, so
 * each exec leaves an entry here that lives as long as a descendant does.
 */
#ifndef EXECTRACE_TARGET_PROCESS_LINEAGE_H
#define EXECTRACE_TARGET_PROCESS_LINEAGE_H

#include <exectrace/target/exec/record.h>

struct lineage;

/* An empty one for the tree below process root. NULL without memory. */
struct lineage *lineage_new(pid_t root);
void lineage_free(struct lineage *lineage);

/* Fills rec->ancestors and rec->depth of the process rec->pid (which must be set). */
void lineage_fill(struct lineage *lineage, struct exec_record *rec);

/*
 * Notes that the process of rec executes rec->cmdline. Needs EXEC_ARGV, and EXEC_IDS when rec->tid does not lead its
 * process. 0 or -ENOMEM.
 */
int lineage_note(struct lineage *lineage, const struct exec_record *rec);

/* How many entries are held: for tests. */
size_t lineage_count(const struct lineage *lineage);

#endif
