/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "survey.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
	const struct survey_span *a = left, *b = right;
	uint64_t for_a = a->to - a->from, for_b = b->to - b->from;

	if (a->phase != b->phase)
		return a->phase ? -1 : 1;
	if (!a->phase && for_a != for_b)
		return for_a > for_b ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static void sort(struct survey *s)
{
	if (s->n_spans)
		qsort(s->spans, s->n_spans, sizeof(*s->spans), compare);
}

int survey_add_span(struct survey *s, const struct survey_span *span)
{
	struct survey_span kept = *span;
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

void survey_finish(struct survey *s)
{
	calltree_sum(s->paths, false);
	calltree_link(s->paths);
	sort(s);
}

int survey_new(struct survey **ret)
{
	struct survey *s = calloc(1, sizeof(*s));

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

int survey_begin(struct survey *s, uint64_t start)
{
	if (!s->activity)
		s->activity = activity_new(start);
	return s->activity ? 0 : -ENOMEM;
}

void survey_free(struct survey *s)
{
	if (!s)
		return;
	calltree_free(s->paths);
	activity_free(s->activity);
	free(s->spans);
	free(s->lanes);
	pool_release(&s->texts);
	for (unsigned side = 0; side < CALLTREE_SIDES; side++)
		calltree_stacks_free(s->stacks[side]);
	free(s);
}

struct calltree *survey_paths(struct survey *s)
{
	return s->paths;
}

const struct activity *survey_activity(const struct survey *s)
{
	return s->activity;
}

const struct survey_span *survey_spans(const struct survey *s, size_t *n)
{
	*n = s->n_spans;
	return s->spans;
}

bool survey_is_guest(const struct survey *s)
{
	return s->guest;
}

bool survey_is_sampled(const struct survey *s)
{
	return s->sampled;
}
