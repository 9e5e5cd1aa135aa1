/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One matcher of a rule: --cmd=REGEX, --not-cwd=DIR, ... */
#ifndef EXECTRACE_SRC_PICK_RULES_MATCHER_H
#define EXECTRACE_SRC_PICK_RULES_MATCHER_H

#include <exectrace/base/buf.h>
#include <exectrace/target/exec/record.h>
#include <stdbool.h>
#include <sys/types.h>

/* In the order in which they are asked: what costs least comes first. */
enum matcher_kind { MATCH_CMD, MATCH_USER, MATCH_EXE, MATCH_CWD, MATCH_ENV, MATCH_PARENT, MATCH_UNDER, MATCH_KINDS };

struct pattern;
struct rule_place;

struct matcher {
	enum matcher_kind kind;
	bool negated;
	char *text;               /* as the user gave it */
	struct pattern *pattern;  /* a regular expression, or a glob of MATCH_EXE; NULL when there is none */
	struct rule_place *place; /* MATCH_CWD, and MATCH_EXE with a directory in it */
	char *name;               /* MATCH_ENV: the variable's */
	uid_t uid;                /* MATCH_USER */
	struct matcher *next;     /* of the same rule */
};

enum match_result {
	MATCH_NO,
	MATCH_YES,
	MATCH_UNKNOWN, /* a field that it needs could not be read */
	MATCH_ENDLESS, /* the search was given up */
};

/* Finds the kind for an option's name without dashes ("cmd", "not-cmd"). False when it is none. */
bool matcher_knows(const char *name, enum matcher_kind *kind, bool *negated);

/*
 * Makes *ret from an option's value. cwd: where relative names are taken from. -EINVAL with the reason and the position
 * in why, -ENOMEM.
 */
int matcher_parse(enum matcher_kind kind, const char *value, const char *cwd, struct matcher **ret, struct buf *why);

/* Whether the matcher, negation included, says yes to rec. Unknown is not turned around. */
enum match_result matcher_test(const struct matcher *m, struct exec_record *rec);

/* Adds "--cmd='\./prog' does not match" and the like. 0 or -ENOMEM. */
int matcher_explain(const struct matcher *m, enum match_result result, struct buf *out);

/*
 * True when n bytes occur in the text of what names programs, be they escaped there or not, or are spelled nearly as a
 * word of it.
 */
bool matcher_mentions(const struct matcher *m, const char *base, size_t n);

/* True when it asks for a directory that is not there now. */
bool matcher_lacks_directory(const struct matcher *m);

/* Frees it; NULL is allowed. */
void matcher_free(struct matcher *m);

#endif
