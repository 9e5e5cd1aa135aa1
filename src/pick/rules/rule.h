/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One rule: an action, its matchers, its ordinals. */
#ifndef EXECTRACE_SRC_PICK_RULES_RULE_H
#define EXECTRACE_SRC_PICK_RULES_RULE_H

#include "matcher.h"
#include "ordinals.h"

struct rule {
	char *action;             /* the value of --run; NULL as long as there was none */
	char *place;              /* where that was written, "FILE:LINE"; NULL: on the command line */
	struct matcher *matchers; /* cheapest first */
	struct ordinals ordinals;
};

/* True for "nth", "limit", "first" and the names of matchers. */
bool rule_knows(const char *name);

/* Adds one option that rule_knows. -EINVAL with the reason in why, -ENOMEM. */
int rule_add(struct rule *rule, const char *name, const char *value, const char *cwd, struct buf *why);

/* True when all matchers match; *no is the first that does not, *result what it says. The ordinals are not looked at.
 */
bool rule_holds(const struct rule *rule, struct exec_record *rec, const struct matcher **no, enum match_result *result);

void rule_release(struct rule *rule);

#endif
