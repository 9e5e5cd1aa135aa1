/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of the critical chain, those that are alike together. */
#ifndef EXECTRACE_SRC_ANSWER_CAUSES_CRITICAL_GROUPS_H
#define EXECTRACE_SRC_ANSWER_CAUSES_CRITICAL_GROUPS_H

#include <exectrace/answer/causes/critical.h>

/* Makes the groups of the steps, the one that took most first. top: of the chain. 0 or -ENOMEM. */
int critical_group(struct critical *critical, struct story *s, const struct tree_node *top);

#endif
