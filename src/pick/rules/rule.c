/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_ordinal(const char *name)
{
	return strcmp(name, "nth") == 0 || strcmp(name, "limit") == 0 || strcmp(name, "first") == 0;
}

bool rule_knows(const char *name)
{
	enum matcher_kind kind;
	bool negated;

	return is_ordinal(name) || matcher_knows(name, &kind, &negated);
}

/* Behind all of its kind and of the cheaper ones. */
static void insert(struct matcher **link, struct matcher *m)
{
	while (*link && (*link)->kind * 2 + (*link)->negated <= m->kind * 2 + m->negated)
		link = &(*link)->next;
	m->next = *link;
	*link = m;
}

static int refuse(struct buf *why, const char *reason)
{
	int err = buf_puts(why, reason);

	return err ? err : -EINVAL;
}

int rule_add(struct rule *rule, const char *name, const char *value, const char *cwd, struct buf *why)
{
	struct matcher *m = NULL;
	enum matcher_kind kind;
	bool negated;
	int err;

	if (strcmp(name, "first") == 0)
		return value ? refuse(why, "takes no value") : ordinals_first(&rule->ordinals, why);
	if (!value)
		return refuse(why, "a value is missing");
	if (strcmp(name, "nth") == 0)
		return ordinals_nth(&rule->ordinals, value, why);
	if (strcmp(name, "limit") == 0)
		return ordinals_limit(&rule->ordinals, value, why);
	if (!matcher_knows(name, &kind, &negated))
		return refuse(why, "not an option of a rule");
	err = matcher_parse(kind, value, cwd, &m, why);
	if (err)
		return err;
	m->negated = negated;
	insert(&rule->matchers, m);
	return 0;
}

bool rule_holds(const struct rule *rule, struct exec_record *rec, const struct matcher **no, enum match_result *result)
{
	for (const struct matcher *m = rule->matchers; m; m = m->next) {
		*result = matcher_test(m, rec);
		if (*result != MATCH_YES) {
			*no = m;
			return false;
		}
	}
	return true;
}

void rule_release(struct rule *rule)
{
	while (rule->matchers) {
		struct matcher *m = rule->matchers;

		rule->matchers = m->next;
		matcher_free(m);
	}
	ordinals_release(&rule->ordinals);
	free(rule->action);
	free(rule->place);
	rule->action = NULL;
}
