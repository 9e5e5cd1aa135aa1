/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of a guest, as the formats get them. */
#ifndef EXECTRACE_ANSWER_EXPORT_GUEST_GUEST_H
#define EXECTRACE_ANSWER_EXPORT_GUEST_GUEST_H

#include <exectrace/answer/export/exporter/exporter.h>
#include <exectrace/answer/format/tracks.h>
#include <exectrace/answer/report/calltrace.h>

struct callgraph;
struct uftrace;

struct guest {
	struct exporter *e;
	struct replay *replay;
	const struct functions_options *which;
	uint64_t start;          /* tick at which the recording began, ... */
	uint64_t base;           /* ... and the ns of then; 0: unknown */
	uint64_t realtime;       /* the same moment by CLOCK_REALTIME; 0: unknown */
	double scale;            /* ns a tick; of a clock that does not count time, 1 */
	bool time;               /* the clock counts time */
	const char *unit;        /* "ns", "instructions", ... */
	uint64_t before;         /* measuring: the position behind the line before */
	enum call_values values; /* how lines tell arguments and results */
};

/* All calls, in the order in which they began, but those that are folded away. 0, -ENOMEM, what fn returned. */
int guest_lines(struct guest *g, call_line_fn *fn, void *ctx);

/* Likewise, without asking the budget. */
int guest_all_lines(struct guest *g, call_line_fn *fn, void *ctx);

/* What the kernel logged, as JSON Lines; the budget does not fold it. The same. */
int guest_messages(struct guest *g);

/* Ticks as ns. */
static inline uint64_t guest_ticks(const struct guest *g, uint64_t ticks)
{
	return g->scale == 1 ? ticks : (uint64_t)((double)ticks * g->scale);
}

/* A tick as ns since the recording began. */
static inline uint64_t guest_since(const struct guest *g, uint64_t tick)
{
	return tick > g->start ? guest_ticks(g, tick - g->start) : 0;
}

/* A tick as ns on the clock of the host, where that is known. */
static inline uint64_t guest_time(const struct guest *g, uint64_t tick)
{
	return g->base + guest_since(g, tick);
}

/* The formats. */
int guest_json(struct guest *g);
int guest_csv(struct guest *g);
int guest_folded(struct guest *g);
int guest_callgrind(struct guest *g, struct callgraph *graph);
int guest_tracks(struct guest *g, struct tracks *tracks);
int guest_uftrace(struct guest *g, struct uftrace *u);

#endif
