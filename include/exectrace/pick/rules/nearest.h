/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands that were probably meant by a rule that matched nothing: their program's name occurs in its pattern. */
#ifndef EXECTRACE_PICK_RULES_NEAREST_H
#define EXECTRACE_PICK_RULES_NEAREST_H

#include <exectrace/base/buf.h>
#include <exectrace/pick/rules/ruleset.h>
#include <exectrace/target/exec/record.h>

#define NEAREST_MAX 3u

struct nearest {
	struct strv lines; /* quoted, cut short; at most NEAREST_MAX, all different */
};

/* Looks at a command that did not match. */
void nearest_look(struct nearest *nearest, const struct ruleset *rules, const struct exec_record *rec);

/* Adds a clause on what was nearest, or a hint. 0 or -ENOMEM. */
int nearest_print(const struct nearest *nearest, struct buf *out);

void nearest_release(struct nearest *nearest);

#endif
