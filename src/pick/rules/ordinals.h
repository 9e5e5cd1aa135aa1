/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the execs that a rule's other matchers let through are picked: --nth, --first, --limit. */
#ifndef EXECTRACE_SRC_PICK_RULES_ORDINALS_H
#define EXECTRACE_SRC_PICK_RULES_ORDINALS_H

#include <exectrace/base/buf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t first, last; /* both included */
};

struct ordinals {
	char *nth;            /* the list as it was given; NULL: all */
	struct range *ranges; /* what it says */
	size_t n;
	uint64_t limit; /* 0: none */
	bool is_first;  /* the limit was given as --first */
	uint64_t seen, picked;
};

/*
 * Take the value of --nth, --limit, --first (no value). -EINVAL with the reason, and the position in a list, in why;
 * -ENOMEM.
 */
int ordinals_nth(struct ordinals *o, const char *list, struct buf *why);
int ordinals_limit(struct ordinals *o, const char *number, struct buf *why);
int ordinals_first(struct ordinals *o, struct buf *why);

/* True when there is something to be counted. */
bool ordinals_used(const struct ordinals *o);

/* Whether the next exec would be picked. */
bool ordinals_pick(const struct ordinals *o);

/* True when no later exec will be picked. */
bool ordinals_over(const struct ordinals *o);

/* Counts one exec; picked: what ordinals_pick said of it. */
void ordinals_count(struct ordinals *o, bool picked);

/* Takes back an ordinals_count. */
void ordinals_retract(struct ordinals *o, bool picked);

/* Adds why the next exec would not be picked: "--nth=3: this is number 1". 0 or -ENOMEM. */
int ordinals_explain(const struct ordinals *o, struct buf *out);

void ordinals_release(struct ordinals *o);

#endif
