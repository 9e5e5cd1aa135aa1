/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resource limits that may be the reason, and what was open when there could be no more descriptors. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_FAILURE_LIMITS_H
#define EXECTRACE_SRC_ANSWER_WHY_FAILURE_LIMITS_H

#include <exectrace/answer/why/page/page.h>

/* The limit that an error tells of, as "RLIMIT_NOFILE"; NULL: it tells of none. */
const char *page_resource_behind(const struct failure *f);

/* Adds a line about a limit of a process as it was at a time of events: what it was, who set it, and when. */
void page_limit(const struct why *why, const struct tree_node *node, const char *resource, uint64_t by,
                struct buf *out);

/* Adds the limits that the run has lowered for a process. */
void page_lowered_limits(const struct why *why, const struct tree_node *node, struct buf *out);

/* Adds what a process had open when a call failed with EMFILE. */
void page_descriptors(const struct why *why, const struct process_history *p, struct buf *out);

#endif
