/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/rules/ruleset.h>

#include "rule.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct ruleset {
	char *cwd;
	int n;
	struct rule rules[RULESET_MAX];
};

struct ruleset *ruleset_new(const char *cwd)
{
	struct ruleset *set = calloc(1, sizeof(*set));

	if (set)
		set->cwd = strdup(cwd);
	if (set && !set->cwd) {
		free(set);
		set = NULL;
	}
	return set;
}

void ruleset_free(struct ruleset *set)
{
	if (!set)
		return;
	for (int i = 0; i < set->n; i++)
		rule_release(&set->rules[i]);
	free(set->cwd);
	free(set);
}

bool ruleset_knows(const char *name)
{
	return strcmp(name, "run") == 0 || rule_knows(name);
}

static int too_many(struct buf *why)
{
	int err = buf_printf(why, "more than %d rules", RULESET_MAX);

	return err ? err : -EINVAL;
}

/* Starts a rule, or gives an action to the one that only has matchers so far. */
static int add_run(struct ruleset *set, const char *action, struct buf *why)
{
	bool anonymous = set->n == 1 && !set->rules[0].action;
	struct rule *rule;
	char *copy;

	if (!anonymous && set->n == RULESET_MAX)
		return too_many(why);
	if (!action) {
		int err = buf_puts(why, "a value is missing");

		return err ? err : -EINVAL;
	}
	copy = strdup(action);
	if (!copy)
		return -ENOMEM;
	rule = &set->rules[anonymous ? 0 : set->n++];
	rule->action = copy;
	return 0;
}

/* A rule counts as being there only when its first option is good. */
static int add_to_rule(struct ruleset *set, const char *name, const char *value, struct buf *why)
{
	int last = set->n ? set->n - 1 : 0;
	int err = rule_add(&set->rules[last], name, value, set->cwd, why);

	if (!err)
		set->n = last + 1;
	return err;
}

int ruleset_add(struct ruleset *set, const char *name, const char *value, struct buf *err)
{
	cleanup_buf struct buf why = BUF_INIT;
	int rc = strcmp(name, "run") == 0 ? add_run(set, value, &why) : add_to_rule(set, name, value, &why);

	if (rc != -EINVAL)
		return rc;
	rc = value ? buf_printf(err, "--%s='%s': %s", name, value, why.data)
	           : buf_printf(err, "--%s: %s", name, why.data);
	return rc ? rc : -EINVAL;
}

int ruleset_set_place(struct ruleset *set, const char *place)
{
	char *copy = strdup(place);

	if (!copy || !set->n) {
		free(copy);
		return copy ? 0 : -ENOMEM;
	}
	free(set->rules[set->n - 1].place);
	set->rules[set->n - 1].place = copy;
	return 0;
}

const char *ruleset_place(const struct ruleset *set, int no)
{
	return no >= 1 && no <= set->n ? set->rules[no - 1].place : NULL;
}

int ruleset_finish(struct ruleset *set, bool need_run, struct buf *err)
{
	int rc;

	/* Only the first rule can be without: every other one was started by --run. */
	if (!need_run || !set->n || set->rules[0].action)
		return 0;
	rc = buf_puts(err, "matchers without an action: add --run=ACTION, or --list to see what they match");
	return rc ? rc : -EINVAL;
}

int ruleset_count(const struct ruleset *set)
{
	return set->n;
}

const char *ruleset_action(const struct ruleset *set, int no)
{
	return no >= 1 && no <= set->n ? set->rules[no - 1].action : NULL;
}

bool ruleset_counts(const struct ruleset *set)
{
	for (int i = 0; i < set->n; i++)
		if (ordinals_used(&set->rules[i].ordinals))
			return true;
	return false;
}

bool ruleset_over(const struct ruleset *set)
{
	for (int i = 0; i < set->n; i++)
		if (!ordinals_over(&set->rules[i].ordinals))
			return false;
	return set->n > 0;
}

bool ruleset_wants_ancestors(const struct ruleset *set)
{
	for (int i = 0; i < set->n; i++) {
		for (const struct matcher *m = set->rules[i].matchers; m; m = m->next) {
			if (m->kind == MATCH_PARENT || m->kind == MATCH_UNDER)
				return true;
		}
	}
	return false;
}

/* Begins a clause about rule i. What cannot be said for lack of memory is left out. */
static struct buf *begin_clause(struct buf *why, int i)
{
	(void)buf_printf(why, "%srule %d: ", why->len ? "; " : "", i + 1);
	return why;
}

/* Whether rule i picks the exec; adds it to verdict->counted when the rule would count it. */
static bool try_rule(const struct ruleset *set, int i, struct exec_record *rec, struct verdict *verdict,
                     struct buf *why)
{
	const struct rule *rule = &set->rules[i];
	const struct matcher *no = NULL;
	enum match_result result = MATCH_NO;

	if (!rule_holds(rule, rec, &no, &result)) {
		if (why)
			(void)matcher_explain(no, result, begin_clause(why, i));
		return false;
	}
	if (!ordinals_used(&rule->ordinals))
		return true;
	verdict->counted |= UINT64_C(1) << i;
	if (ordinals_pick(&rule->ordinals))
		return true;
	if (why)
		(void)ordinals_explain(&rule->ordinals, begin_clause(why, i));
	return false;
}

void ruleset_match(const struct ruleset *set, struct exec_record *rec, struct verdict *verdict, struct buf *why)
{
	*verdict = (struct verdict){0};
	for (int i = 0; i < set->n && !verdict->rule; i++) {
		if (try_rule(set, i, rec, verdict, why))
			verdict->rule = i + 1;
	}
}

void ruleset_commit(struct ruleset *set, const struct verdict *verdict)
{
	for (int i = 0; i < set->n; i++)
		if (verdict->counted & UINT64_C(1) << i)
			ordinals_count(&set->rules[i].ordinals, verdict->rule == i + 1);
}

void ruleset_retract(struct ruleset *set, const struct verdict *verdict)
{
	for (int i = 0; i < set->n; i++)
		if (verdict->counted & UINT64_C(1) << i)
			ordinals_retract(&set->rules[i].ordinals, verdict->rule == i + 1);
}

bool ruleset_mentions(const struct ruleset *set, const char *base, size_t n)
{
	for (int i = 0; i < set->n; i++)
		for (const struct matcher *m = set->rules[i].matchers; m; m = m->next)
			if (matcher_mentions(m, base, n))
				return true;
	return false;
}

int ruleset_explain_none(const struct ruleset *set, struct buf *out)
{
	int err = 0;

	for (int i = 0; i < set->n && !err; i++) {
		const struct rule *rule = &set->rules[i];

		if (rule->ordinals.seen && !rule->ordinals.picked)
			err = buf_printf(out, "; the matchers of rule %d let %" PRIu64 " through, none is number %s",
			                 i + 1, rule->ordinals.seen, rule->ordinals.nth);
		for (const struct matcher *m = rule->matchers; m && !err; m = m->next)
			if (matcher_lacks_directory(m))
				err = buf_printf(out, "; --cwd=%s: there is no such directory", m->text);
	}
	return err;
}
