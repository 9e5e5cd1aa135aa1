/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ordinals.h"

#include <errno.h>
#include <exectrace/base/quote.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is wrong at offset at of a list or number. */
static int refuse(struct buf *why, const char *what, size_t at)
{
	int err = buf_printf(why, "%s at offset %zu", what, at);

	return err ? err : -EINVAL;
}

static int given_twice(struct buf *why, const char *option)
{
	int err = buf_printf(why, "--%s was given for this rule already", option);

	return err ? err : -EINVAL;
}

/* Reads a number >= 1 at text[*at] and moves *at behind it. */
static int read_number(const char *text, size_t *at, uint64_t *number, struct buf *why)
{
	size_t start = *at;

	*number = 0;
	for (; text[*at] >= '0' && text[*at] <= '9'; (*at)++) {
		unsigned digit = (unsigned)(text[*at] - '0');

		if (*number > (UINT64_MAX - digit) / 10)
			return refuse(why, "number too large", start);
		*number = *number * 10 + digit;
	}
	if (*at == start)
		return refuse(why, "not a number", start);
	return *number ? 0 : refuse(why, "numbers start at 1, not 0,", start);
}

/* Reads "3" or "2-5". */
static int read_range(const char *text, size_t *at, struct range *range, struct buf *why)
{
	size_t start = *at;
	int err = read_number(text, at, &range->first, why);

	range->last = range->first;
	if (err || text[*at] != '-')
		return err;
	(*at)++;
	err = read_number(text, at, &range->last, why);
	if (!err && range->last < range->first)
		err = refuse(why, "a range that runs backwards", start);
	return err;
}

static int add_range(struct ordinals *o, const struct range *range)
{
	struct range *ranges = reallocarray(o->ranges, o->n + 1, sizeof(*ranges));

	if (!ranges)
		return -ENOMEM;
	ranges[o->n++] = *range;
	o->ranges = ranges;
	return 0;
}

static int read_list(struct ordinals *o, const char *list, struct buf *why)
{
	for (size_t at = 0;; at++) {
		struct range range;
		int err = read_range(list, &at, &range, why);

		if (!err)
			err = add_range(o, &range);
		if (err || list[at] == '\0')
			return err;
		if (list[at] != ',')
			return refuse(why, "not a number", at);
	}
}

int ordinals_nth(struct ordinals *o, const char *list, struct buf *why)
{
	int err;

	if (o->nth)
		return given_twice(why, "nth");
	err = read_list(o, list, why);
	if (!err) {
		o->nth = strdup(list);
		err = o->nth ? 0 : -ENOMEM;
	}
	if (err) {
		free(o->ranges);
		o->ranges = NULL;
		o->n = 0;
	}
	return err;
}

static int set_limit(struct ordinals *o, uint64_t limit, bool is_first, struct buf *why)
{
	if (o->limit)
		return given_twice(why, o->is_first ? "first" : "limit");
	o->limit = limit;
	o->is_first = is_first;
	return 0;
}

int ordinals_limit(struct ordinals *o, const char *number, struct buf *why)
{
	uint64_t limit;
	size_t at = 0;
	int err = read_number(number, &at, &limit, why);

	if (!err && number[at])
		err = refuse(why, "not a number", at);
	return err ? err : set_limit(o, limit, false, why);
}

int ordinals_first(struct ordinals *o, struct buf *why)
{
	return set_limit(o, 1, true, why);
}

bool ordinals_used(const struct ordinals *o)
{
	return o->nth || o->limit;
}

static bool is_listed(const struct ordinals *o, uint64_t number)
{
	for (size_t i = 0; i < o->n; i++)
		if (number >= o->ranges[i].first && number <= o->ranges[i].last)
			return true;
	return !o->nth;
}

bool ordinals_pick(const struct ordinals *o)
{
	return is_listed(o, o->seen + 1) && (!o->limit || o->picked < o->limit);
}

bool ordinals_over(const struct ordinals *o)
{
	bool listed = !o->nth;

	for (size_t i = 0; i < o->n; i++)
		listed |= o->ranges[i].last > o->seen;
	return !listed || (o->limit && o->picked >= o->limit);
}

void ordinals_count(struct ordinals *o, bool picked)
{
	o->seen++;
	o->picked += picked;
}

void ordinals_retract(struct ordinals *o, bool picked)
{
	o->seen--;
	o->picked -= picked;
}

int ordinals_explain(const struct ordinals *o, struct buf *out)
{
	int err;

	if (is_listed(o, o->seen + 1)) {
		if (o->is_first)
			return buf_puts(out, "--first: one was picked already");
		return buf_printf(out, "--limit=%" PRIu64 ": as many were picked already", o->limit);
	}
	err = buf_puts(out, "--nth=");
	if (!err)
		err = quote_shell(out, o->nth, strlen(o->nth));
	return err ? err : buf_printf(out, ": this is number %" PRIu64, o->seen + 1);
}

void ordinals_release(struct ordinals *o)
{
	free(o->nth);
	free(o->ranges);
	*o = (struct ordinals){0};
}
