/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/html/html_page.h>

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
static uint64_t work_of(const struct overview *s, const struct lanes_lane *lane)
{
	unsigned lazy = overview_is_guest(s) ? (unsigned)SURVEY_IDLE : (unsigned)SURVEY_WAIT;
	uint64_t sum = 0;

	for (unsigned k = 0; k < ACTIVITY_KINDS; k++)
		if (k != lazy || overview_is_sampled(s))
			sum += lane->sums[k];
	return sum;
}

static char digit_of(uint64_t value, uint64_t width)
{
	double share = (double)value / (double)width;

	return digits[!value ? 0 : share >= 1 ? 63 : 1 + (int)(share * 62)];
}

static void put_cells(struct buf *out, const struct lanes_lane *lane, uint64_t width)
{
	html_key(out, "cells");
	buf_putc(out, '{');
	for (unsigned k = 0; k < ACTIVITY_KINDS; k++) {
		if (!lane->sums[k])
			continue;
		html_item(out);
		buf_printf(out, "\"%u\":\"", k);
		for (uint32_t i = 0; i < lane->n; i++)
			buf_putc(out, digit_of(lane->cells[(size_t)i * ACTIVITY_KINDS + k], width));
		buf_putc(out, '"');
	}
	buf_putc(out, '}');
}

/* start: of the chart. */
static void put_lane(struct buf *out, const struct lanes *a, const struct lanes_lane *lane, uint64_t start)
{
	buf_printf(out, "{\"group\":\"%s\",\"id\":%u,\"sub\":%u", groups[lane->group], lane->id, lane->sub);
	buf_printf(out, ",\"from\":%ju,\"to\":%ju", (uintmax_t)(lane->from - start), (uintmax_t)(lane->to - start));
	buf_puts(out, ",\"names\":[");
	for (size_t i = 0; i < lane->n_names; i++) {
		uint64_t since = lane->names[i].since;

		html_item(out);
		buf_printf(out, "[%ju,", (uintmax_t)(since > start ? since - start : 0));
		html_string(out, lane->names[i].name);
		buf_putc(out, ']');
	}
	buf_printf(out, "],\"first\":%u", lane->first);
	put_cells(out, lane, lanes_width(a));
	buf_putc(out, '}');
}

static int descending(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a < b) - (a > b);
}

/* The work that a lane has to have done to be shown. 0 or -ENOMEM. */
static int least_work(const struct overview *s, const struct lanes *a, uint64_t *least)
{
	size_t n = lanes_count(a);
	uint64_t *sums = reallocarray(NULL, n + 1, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		sums[i] = work_of(s, lanes_at(a, i));
	qsort(sums, n, sizeof(*sums), descending);
	*least = n > HTML_LANES ? sums[HTML_LANES] + 1 : 0;
	free(sums);
	return 0;
}

static void put_lanes(struct spool *out, const struct overview *s, const struct lanes *a, uint64_t start)
{
	uint64_t least = 0;
	size_t left_out = 0;

	buf_fail(&out->text, least_work(s, a, &least));
	html_key(&out->text, "lanes");
	buf_putc(&out->text, '[');
	for (uint32_t i = 0; i < lanes_count(a); i++) {
		const struct lanes_lane *lane = lanes_at(a, i);

		if (lane->from > lane->to || (lane->group != SURVEY_CPUS && work_of(s, lane) < least)) {
			left_out++;
			continue;
		}
		html_item(&out->text);
		spool_drain(out);
		put_lane(&out->text, a, lane, start);
	}
	buf_printf(&out->text, "],\"left_out\":%zu", left_out);
}

static void put_spans(struct buf *out, const struct overview *s, uint64_t start)
{
	size_t n, others = 0;
	const struct overview_span *spans = overview_spans(s, &n);

	html_key(out, "spans");
	buf_putc(out, '[');
	for (size_t i = 0; i < n && others < HTML_SPANS; i++) {
		others += !spans[i].phase;
		html_item(out);
		buf_printf(out, "[%d,%ju,%ju,", spans[i].phase, (uintmax_t)(spans[i].from - start),
		           (uintmax_t)(spans[i].to - start));
		html_string(out, spans[i].name);
		buf_putc(out, ',');
		html_string(out, spans[i].module);
		buf_putc(out, ']');
	}
	buf_putc(out, ']');
}

/* How much of a cell a thread was there and did not wait. */
static uint64_t running(const struct overview *s, const struct lanes *a, const struct lanes_lane *lane, uint32_t cell)
{
	uint64_t width = lanes_width(a), from = lanes_start(a) + cell * width, to = from + width, sum = 0;
	const uint64_t *kinds = cell >= lane->first && cell - lane->first < lane->n
	                                ? &lane->cells[(size_t)(cell - lane->first) * ACTIVITY_KINDS]
	                                : NULL;

	if (overview_is_sampled(s)) {
		for (unsigned k = 0; kinds && k < ACTIVITY_KINDS; k++)
			sum += kinds[k];
		return sum;
	}
	from = from > lane->from ? from : lane->from;
	to = to < lane->to ? to : lane->to;
	sum = to > from ? to - from : 0;
	return kinds && kinds[SURVEY_WAIT] ? sum - (sum < kinds[SURVEY_WAIT] ? sum : kinds[SURVEY_WAIT]) : sum;
}

/* How many threads ran in each cell, in hundredths. */
static void put_busy(struct spool *out, const struct overview *s, const struct lanes *a)
{
	uint64_t width = lanes_width(a), length = lanes_end(a) - lanes_start(a);

	html_key(&out->text, "busy");
	buf_putc(&out->text, '[');
	for (uint32_t cell = 0; width && cell < ACTIVITY_CELLS && cell * width < length; cell++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < lanes_count(a); i++)
			if (lanes_at(a, i)->group == SURVEY_THREADS && lanes_at(a, i)->from <= lanes_at(a, i)->to)
				sum += running(s, a, lanes_at(a, i), cell);
		buf_printf(&out->text, "%s%ju", cell ? "," : "", (uintmax_t)(100 * sum / width));
	}
	buf_putc(&out->text, ']');
}

/* What stretch of time the chart is about. */
static void find_times(const struct lanes *a, const struct html_facts *facts, uint64_t *start, uint64_t *end)
{
	uint64_t first = html_processes_start(facts), last = html_processes_end(facts);

	*start = a ? lanes_start(a) : first;
	*end = a ? lanes_end(a) : last;
	if (facts->tree && first && first < *start)
		*start = first;
	if (facts->tree && last > *end)
		*end = last;
	if (*end < *start)
		*end = *start;
}

void html_chart(struct spool *out, const struct overview *s, const struct html_facts *facts)
{
	const struct lanes *a = overview_activity(s);
	const char *const *kinds = overview_is_guest(s)     ? guest_kinds
	                           : overview_is_sampled(s) ? sample_kinds
	                                                    : call_kinds;
	const struct recorded_run *run = recording_run(facts->recording);
	uint64_t start, end;

	if (!a && !(facts->tree && process_tree_first(facts->tree)))
		return;
	find_times(a, facts, &start, &end);
	html_key(&out->text, "chart");
	buf_printf(&out->text, "{\"end\":%ju,\"width\":%ju,\"shift\":%ju,\"cpus\":%u,\"kinds\":[",
	           (uintmax_t)(end - start), (uintmax_t)(a ? lanes_width(a) : (end - start) / ACTIVITY_CELLS + 1),
	           (uintmax_t)(a ? lanes_start(a) - start : 0), run ? run->cpus : 0);
	for (size_t i = 0; kinds[i]; i++) {
		html_item(&out->text);
		html_string(&out->text, kinds[i]);
	}
	buf_putc(&out->text, ']');
	if (a)
		put_lanes(out, s, a, start);
	else
		buf_puts(&out->text, ",\"lanes\":[],\"left_out\":0");
	if (facts->tree)
		html_processes(out, facts, start, end);
	if (a && facts->tree)
		put_busy(out, s, a);
	put_spans(&out->text, s, start);
	buf_putc(&out->text, '}');
}
