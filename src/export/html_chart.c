/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "html_page.h"

#include <errno.h>
#include <stdlib.h>

/* What a cell is in the page: so many of 63 parts of its time. */
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static const char *const groups[] = {"cpu", "task", "thread"};
static const char *const guest_kinds[] = {"kernel", "module",   "program", "interrupt",
                                          "idle",   "firmware", "nowhere", NULL};
static const char *const sample_kinds[] = {"kernel", "program", "library", NULL};
static const char *const call_kinds[] = {"wait", "file", "network", "memory", "process", "other", NULL};

/* What a lane did, waiting for something left out. */
static uint64_t work_of(const struct survey *s, const struct activity_lane *lane)
{
	unsigned lazy = survey_is_guest(s) ? (unsigned)SURVEY_IDLE : (unsigned)SURVEY_WAIT;
	uint64_t sum = 0;

	for (unsigned k = 0; k < ACTIVITY_KINDS; k++)
		if (k != lazy || survey_is_sampled(s))
			sum += lane->sums[k];
	return sum;
}

static char digit_of(uint64_t value, uint64_t width)
{
	double share = (double)value / (double)width;

	return digits[!value ? 0 : share >= 1 ? 63 : 1 + (int)(share * 62)];
}

static int put_cells(struct buf *out, const struct activity_lane *lane, uint64_t width)
{
	int rc = html_key(out, "cells");

	rc = rc ? rc : buf_putc(out, '{');
	for (unsigned k = 0; k < ACTIVITY_KINDS && !rc; k++) {
		if (!lane->sums[k])
			continue;
		rc = html_item(out);
		rc = rc ? rc : buf_printf(out, "\"%u\":\"", k);
		for (uint32_t i = 0; i < lane->n && !rc; i++)
			rc = buf_putc(out, digit_of(lane->cells[(size_t)i * ACTIVITY_KINDS + k], width));
		rc = rc ? rc : buf_putc(out, '"');
	}
	return rc ? rc : buf_putc(out, '}');
}

static int put_lane(struct buf *out, const struct activity *a, const struct activity_lane *lane)
{
	uint64_t start = activity_start(a);
	int rc = buf_printf(out, "{\"group\":\"%s\",\"id\":%u,\"sub\":%u", groups[lane->group], lane->id, lane->sub);
	rc = rc ? rc
	        : buf_printf(out, ",\"from\":%ju,\"to\":%ju", (uintmax_t)(lane->from - start),
	                     (uintmax_t)(lane->to - start));
	rc = rc ? rc : buf_puts(out, ",\"names\":[");
	for (size_t i = 0; i < lane->n_names && !rc; i++) {
		uint64_t since = lane->names[i].since;

		rc = html_item(out);
		rc = rc ? rc : buf_printf(out, "[%ju,", (uintmax_t)(since > start ? since - start : 0));
		rc = rc ? rc : html_string(out, lane->names[i].name);
		rc = rc ? rc : buf_putc(out, ']');
	}
	rc = rc ? rc : buf_printf(out, "],\"first\":%u", lane->first);
	rc = rc ? rc : put_cells(out, lane, activity_width(a));
	return rc ? rc : buf_putc(out, '}');
}

static int descending(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a < b) - (a > b);
}

/* The work that a lane has to have done to be shown. 0 or -ENOMEM. */
static int least_work(const struct survey *s, const struct activity *a, uint64_t *least)
{
	size_t n = activity_lanes(a);
	uint64_t *sums = reallocarray(NULL, n + 1, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		sums[i] = work_of(s, activity_at(a, i));
	qsort(sums, n, sizeof(*sums), descending);
	*least = n > HTML_LANES ? sums[HTML_LANES] + 1 : 0;
	free(sums);
	return 0;
}

static int put_lanes(struct exporter *e, const struct survey *s, const struct activity *a)
{
	uint64_t least;
	size_t left_out = 0;
	int rc = least_work(s, a, &least);

	rc = rc ? rc : html_key(&e->out, "lanes");
	rc = rc ? rc : buf_putc(&e->out, '[');
	for (uint32_t i = 0; i < activity_lanes(a) && !rc; i++) {
		const struct activity_lane *lane = activity_at(a, i);

		if (lane->from > lane->to || (lane->group != SURVEY_CPUS && work_of(s, lane) < least)) {
			left_out++;
			continue;
		}
		rc = html_item(&e->out);
		rc = rc ? rc : exporter_drain(e);
		rc = rc ? rc : put_lane(&e->out, a, lane);
	}
	return rc ? rc : buf_printf(&e->out, "],\"left_out\":%zu", left_out);
}

static int put_spans(struct buf *out, const struct survey *s, uint64_t start)
{
	size_t n, others = 0;
	const struct survey_span *spans = survey_spans(s, &n);
	int rc = html_key(out, "spans");

	rc = rc ? rc : buf_putc(out, '[');
	for (size_t i = 0; i < n && !rc && others < HTML_SPANS; i++) {
		others += !spans[i].phase;
		rc = html_item(out);
		rc = rc ? rc
		        : buf_printf(out, "[%d,%ju,%ju,", spans[i].phase, (uintmax_t)(spans[i].from - start),
		                     (uintmax_t)(spans[i].to - start));
		rc = rc ? rc : html_string(out, spans[i].name);
		rc = rc ? rc : buf_putc(out, ',');
		rc = rc ? rc : html_string(out, spans[i].module);
		rc = rc ? rc : buf_putc(out, ']');
	}
	return rc ? rc : buf_putc(out, ']');
}

int html_chart(struct exporter *e, const struct survey *s)
{
	const struct activity *a = survey_activity(s);
	const char *const *kinds = survey_is_guest(s) ? guest_kinds : survey_is_sampled(s) ? sample_kinds : call_kinds;
	int rc = a ? html_key(&e->out, "chart") : 0;

	if (!a || rc)
		return rc;
	rc = buf_printf(&e->out, "{\"end\":%ju,\"width\":%ju,\"kinds\":[",
	                (uintmax_t)(activity_end(a) - activity_start(a)), (uintmax_t)activity_width(a));
	for (size_t i = 0; kinds[i] && !rc; i++) {
		rc = html_item(&e->out);
		rc = rc ? rc : html_string(&e->out, kinds[i]);
	}
	rc = rc ? rc : buf_putc(&e->out, ']');
	rc = rc ? rc : put_lanes(e, s, a);
	rc = rc ? rc : put_spans(&e->out, s, activity_start(a));
	return rc ? rc : buf_putc(&e->out, '}');
}
