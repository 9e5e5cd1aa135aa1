/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON as OpenTelemetry's protocol has it: numbers of 64 bits are strings, identifiers are hexadecimal
 * (opentelemetry.io/docs/specs/otlp, JSON Protobuf Encoding). A failure stays in `rc`.
 */
#ifndef EXECTRACE_ANSWER_OTLP_VALUES_H
#define EXECTRACE_ANSWER_OTLP_VALUES_H

#include <exectrace/base/buf.h>
#include <exectrace/base/strv.h>
#include <stdbool.h>
#include <stdint.h>

/* A list of attributes that is being written: from otlp_attributes to otlp_end. */
struct otlp {
	struct buf *out;
	int rc;     /* 0 or -ENOMEM */
	bool comma; /* private */
};

struct otlp otlp_attributes(struct buf *out);
void otlp_text(struct otlp *o, const char *key, const char *text); /* NULL or "": nothing is added */
void otlp_number(struct otlp *o, const char *key, int64_t value);
void otlp_words(struct otlp *o, const char *key, const struct strv *words);
int otlp_end(struct otlp *o);

/* Adds a string with its quotes; bytes that are no UTF-8 become U+FFFD. 0 or -ENOMEM. */
int otlp_string(struct buf *out, const char *text);

#endif
