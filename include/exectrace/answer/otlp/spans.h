/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spans as lines of OpenTelemetry's file format, each of which a collector takes as it is
 * (opentelemetry.io/docs/specs/otel/protocol/file-exporter).
 */
#ifndef EXECTRACE_ANSWER_OTLP_SPANS_H
#define EXECTRACE_ANSWER_OTLP_SPANS_H

#include <exectrace/answer/otlp/values.h>

/* What a trace is known by. */
struct otlp_ids {
	uint8_t trace[16];
	uint64_t parent; /* the span that the trace's first one is part of; 0: none */
};

/*
 * Takes what a header `traceparent` says (w3.org/TR/trace-context, version 00 and what is compatible with it). False:
 * it says nothing that is valid, and nothing was changed.
 */
bool otlp_traceparent(struct otlp_ids *ids, const char *text);

/* Lines that are being written. */
struct otlp_lines {
	struct buf *out;
	struct otlp_ids ids;
	const char *resource; /* JSON members: whose spans these are */
	const char *version;  /* of this program */
	unsigned spans;       /* read only: of the line that is being written; 0: there is none */
};

struct otlp_span {
	uint64_t number, parent; /* parent 0: none */
	const char *name;
	uint64_t start, end; /* ns since 1970 */
	const char *failed;  /* why it did; NULL: it did not */
	bool known;          /* whether it did is known */
};

/* What happened during a span. */
struct otlp_events {
	const char *text; /* JSON objects with commas between them; NULL: none */
	uint64_t dropped; /* that there were beside these */
};

/* Adds a span up to its attributes (otlp_attributes), and what stands behind them. 0 or -ENOMEM. */
int otlp_span_begin(struct otlp_lines *lines, const struct otlp_span *span);
int otlp_span_end(struct otlp_lines *lines, const struct otlp_span *span, const struct otlp_events *events);

/* Ends the last line. 0 or -ENOMEM. */
int otlp_lines_end(struct otlp_lines *lines);

#endif
