/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of one or more runs summed up by program: a row for each file that was executed last. */
#ifndef EXECTRACE_ANSWER_PROCESSES_PROGRAMS_H
#define EXECTRACE_ANSWER_PROCESSES_PROGRAMS_H

#include <exectrace/answer/output/table.h>
#include <exectrace/answer/processes/profile.h>

struct programs;

/* NULL without memory. */
struct programs *programs_new(void);

/* NULL is allowed. */
void programs_free(struct programs *programs);

/*
 * Adds the processes of a run that are asked for; `path` is what its recording goes by. Nothing of them is needed
 * afterwards. 0 or -ENOMEM.
 */
int programs_add(struct programs *programs, const struct profile *p, const char *path);

/*
 * Shows a row for each program, the largest by `order` (START: by time) first. several: with in how many recordings it
 * is, and in which one the process that took longest. 0; -ENOMEM; -errno of a write.
 */
int programs_show(struct programs *programs, enum profile_order order, bool several, struct page *page,
                  enum table_format format);

#endif
