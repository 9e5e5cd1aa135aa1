/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules: which exec is picked, and what is then to be done. A rule is an action text with matchers; it matches an exec
 * when all its matchers do; the first matching rule wins; a rule without matchers matches every exec. Pure: nothing
 * here looks at a live process but through exec_record_want.
 *
 * A matcher whose field could not be read (rec->error, or a file or directory whose name is unknown) says no, and so
 * does its negation: nothing is known. Matchers are asked from the cheapest on, and only until one says no. A matcher
 * may be given more than once, then all must hold; --nth, and --limit or --first, only once in a rule. With --nth, a
 * limit counts the picked ones.
 *
 * --exe=GLOB with a '/' is about the whole path. Unless it begins with a star, a relative one is taken from the
 * directory given to ruleset_new, as --cwd=DIR is. "." and ".." and "//" go by the text; symbolic links in the
 * directories before the first glob character are followed when the rule is made, and either name is accepted.
 */
#ifndef EXECTRACE_PICK_RULES_RULESET_H
#define EXECTRACE_PICK_RULES_RULESET_H

#include <exectrace/base/buf.h>
#include <exectrace/target/exec/record.h>
#include <stdbool.h>
#include <stdint.h>

#define RULESET_MAX 64 /* rules in a set */

struct ruleset;

/* What ruleset_match found. */
struct verdict {
	int rule;         /* number of the matching rule, from 1; 0 when none matched */
	uint64_t counted; /* bit i: rule i+1 (one with --nth, --first or --limit) counts this exec */
};

/* A new empty set, NULL without memory. cwd (copied): the absolute directory that relative names are taken from. */
struct ruleset *ruleset_new(const char *cwd);

/* Frees it; NULL is allowed. */
void ruleset_free(struct ruleset *set);

/*
 * True when `name` (without dashes: "run", "cmd", "not-cmd", "nth", "first", ...) is an option that belongs to rules.
 */
bool ruleset_knows(const char *name);

/*
 * Adds one option in the order the user gave them: "run" starts a rule, matchers belong to the rule started last; those
 * before the first "run" belong to the first. value is NULL for an option without a value ("first"). 0; -EINVAL with
 * one line in err that names the option, the offending text and, for patterns and lists, the position:
 * `--cmd='a(b': missing closing parenthesis at offset 3`; -ENOMEM.
 */
int ruleset_add(struct ruleset *set, const char *name, const char *value, struct buf *err);

/* Says where the rule added last was written ("FILE:LINE", copied), for messages about its action. 0 or -ENOMEM. */
int ruleset_set_place(struct ruleset *set, const char *place);

/* That; NULL when it was on the command line. */
const char *ruleset_place(const struct ruleset *set, int no);

/* To be called after the last ruleset_add. With need_run, matchers without a "run" are -EINVAL with a line in err. */
int ruleset_finish(struct ruleset *set, bool need_run, struct buf *err);

/* How many rules there are. */
int ruleset_count(const struct ruleset *set);

/* The action text (the value of --run) of rule no (from 1); NULL for a rule made of matchers alone under --list. */
const char *ruleset_action(const struct ruleset *set, int no);

/* True when some rule looks at the parent or at ancestors: then who executed what has to be remembered. */
bool ruleset_wants_ancestors(const struct ruleset *set);

/* True when some rule has --nth, --first or --limit. */
bool ruleset_counts(const struct ruleset *set);

/* True when none of the rules, of which there is one, will pick anything any more: --nth, --first and --limit are used
 * up. */
bool ruleset_over(const struct ruleset *set);

/*
 * Finds the first rule that matches, without counting: the same exec may be asked for again. verdict->counted are the
 * rules passed whose other matchers match and that have ordinals; they say what they would say of the next exec that is
 * counted (ruleset_commit). While another exec is counted whose outcome is open, a verdict with counted != 0 is
 * not to be relied on. why, when not NULL, gets one clause a rule that said no:
 * "rule 1: --cmd='\./prog' does not match; rule 2: --nth=3: this is number 1".
 */
void ruleset_match(const struct ruleset *set, struct exec_record *rec, struct verdict *verdict, struct buf *why);

/* Counts the exec of a verdict: nothing was counted since its ruleset_match. */
void ruleset_commit(struct ruleset *set, const struct verdict *verdict);

/*
 * Takes back the counts of a committed verdict whose exec failed after all. Only in the reverse order of
 * ruleset_commit, which keeps ordinals exact when execs run in parallel.
 */
void ruleset_retract(struct ruleset *set, const struct verdict *verdict);

/*
 * True when base (n bytes, the last component of a program's name) occurs in a --cmd, --exe, --parent or --under
 * pattern's text of some rule, or is spelled nearly as a word there: the program was probably meant. For the hint at
 * the end of a run that matched nothing.
 */
bool ruleset_mentions(const struct ruleset *set, const char *base, size_t n);

/*
 * Adds a clause, "; " in front, for each rule that picked nothing although its matchers did match, and for each
 * directory asked for that is not there. 0 or -ENOMEM.
 */
int ruleset_explain_none(const struct ruleset *set, struct buf *out);

#endif
