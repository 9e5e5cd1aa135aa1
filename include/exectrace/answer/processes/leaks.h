/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors that programs began with and did nothing with: neither they nor, as far as is known, anybody below them,
 * and that they did not close. Known where calls were recorded.
 */
#ifndef EXECTRACE_ANSWER_PROCESSES_LEAKS_H
#define EXECTRACE_ANSWER_PROCESSES_LEAKS_H

#include <exectrace/answer/output/table.h>
#include <exectrace/answer/recording/process_select.h>

struct leaks;

/* NULL without memory. */
struct leaks *leaks_new(void);

/* NULL is allowed. */
void leaks_free(struct leaks *leaks);

/* Takes an event: a process_tree_event, with the leaks as ctx. What fails is told by leaks_find. */
void leaks_event(void *ctx, const struct recorded_event *event);

/*
 * Finds them, once the tree of the same recording was read; select: whose, after process_select_begin. 0; -ENOENT with
 * a line in err when not enough was recorded to tell; -ENOMEM.
 */
int leaks_find(struct leaks *leaks, const struct process_tree *tree, const struct recording *r,
               const struct process_select *select, struct buf *err);

/* Shows them: a row for each descriptor that was handed down, those that most processes have first. */
int leaks_show(const struct leaks *leaks, struct page *page, enum table_format format);

#endif
