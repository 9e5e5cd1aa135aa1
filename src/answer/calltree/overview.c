/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "overview.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
	const struct overview_span *a = left, *b = right;
	uint64_t for_a = a->to - a->from, for_b = b->to - b->from;

	if (a->phase != b->phase)
		return a->phase ? -1 : 1;
	if (!a->phase && for_a != for_b)
		return for_a > for_b ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static void sort(struct overview *s)
{
	if (s->n_spans)
		qsort(s->spans, s->n_spans, sizeof(*s->spans), compare);
}

int overview_add_span(struct overview *s, const struct overview_span *span)
{
	struct overview_span kept = *span;
	int rc = pool_text(&s->texts, span->name, strlen(span->name), &kept.name, NULL);

	if (!rc)
		rc = pool_text(&s->texts, span->module, strlen(span->module), &kept.module, NULL);
	if (!rc && s->n_spans == SURVEY_SPANS) {
		sort(s);
		s->n_spans /= 2;
	}
	if (!rc)
		rc = grow_array((void **)&s->spans, s->n_spans, &s->cap_spans, sizeof(kept));
	if (!rc)
		s->spans[s->n_spans++] = kept;
	return rc;
}

void overview_finish(struct overview *s)
{
	calltree_sum(s->paths, false);
	calltree_link(s->paths);
	sort(s);
}

int overview_new(struct overview **ret)
{
	struct overview *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->paths = calltree_new();
	if (!s->paths) {
		free(s);
		return -ENOMEM;
	}
	calltree_limit(s->paths, SURVEY_PATHS, SURVEY_DEPTH);
	*ret = s;
	return 0;
}

int overview_begin(struct overview *s, uint64_t start)
{
	if (!s->activity)
		s->activity = lanes_new(start);
	return s->activity ? 0 : -ENOMEM;
}

void overview_free(struct overview *s)
{
	if (!s)
		return;
	calltree_free(s->paths);
	lanes_free(s->activity);
	free(s->spans);
	free(s->lanes);
	pool_release(&s->texts);
	for (unsigned side = 0; side < CALLTREE_SIDES; side++)
		calltree_stacks_free(s->stacks[side]);
	free(s);
}

struct calltree *overview_paths(struct overview *s)
{
	return s->paths;
}

const struct lanes *overview_activity(const struct overview *s)
{
	return s->activity;
}

const struct overview_span *overview_spans(const struct overview *s, size_t *n)
{
	*n = s->n_spans;
	return s->spans;
}

bool overview_is_guest(const struct overview *s)
{
	return s->guest;
}

bool overview_is_sampled(const struct overview *s)
{
	return s->sampled;
}
