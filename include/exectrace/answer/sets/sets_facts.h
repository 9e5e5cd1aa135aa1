/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What two recordings differ in that needs no clock. */
#ifndef EXECTRACE_ANSWER_SETS_SETS_FACTS_H
#define EXECTRACE_ANSWER_SETS_SETS_FACTS_H

#include <exectrace/answer/sets/measures.h>
#include <exectrace/base/buf.h>

/*
 * Adds a comment, a line each, of what is in all recordings of one side and in none of the other: how they ended, what
 * failed, commands, calls that failed; `limit` lines of each at most. Nothing when there is none. 0 or -ENOMEM.
 */
int sets_facts_print(struct buf *out, struct measures *m, size_t limit);

#endif
