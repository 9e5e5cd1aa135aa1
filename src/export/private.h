/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the formats share. */
#ifndef EXECTRACE_EXPORT_PRIVATE_H
#define EXECTRACE_EXPORT_PRIVATE_H

#include <exectrace/analyze/execs.h>
#include <exectrace/export/export.h>

/* A format. Its functions return 0, -ENOMEM, or what exporter_drain returned. */
struct exporter_ops {
	const char *name;
	bool binary;
	bool sums;     /* what it writes are sums, not events */
	bool compares; /* it takes events of two recordings: see exporter_compare */
	size_t size;   /* of the format's own struct, which begins with a struct exporter */
	int (*begin)(struct exporter *e);
	int (*event)(struct exporter *e, const struct recorded_event *event);
	/* What a process does, also where its calls are not wanted; before `event`. NULL: it does not care. */
	int (*process)(struct exporter *e, const struct recorded_event *event);
	execs_fn *exec; /* a line of execs.jsonl, after all events; ctx is the exporter. NULL: it does not care */
	int (*guest)(struct exporter *e, struct replay *p); /* all calls of a guest. NULL: it takes none */
	int (*finish)(struct exporter *e);
	void (*release)(struct exporter *e); /* what begin and event left; begin may have failed */
};

struct exporter {
	const struct exporter_ops *ops;
	struct recording *recording;
	struct export_options options;
	struct recording *other; /* it is compared with this one */
	unsigned side;           /* 1: what comes is of the other one */
	struct replay *guest;    /* the calls that it was given last */
	struct buf out;          /* what has not been given to options.write */
	struct buf functions;    /* what exporter_stack gives */
};

extern const struct exporter_ops exporter_json, exporter_folded, exporter_html, exporter_perfetto;

/* Gives the output away when there is much of it. */
int exporter_drain(struct exporter *e);

/* The names of the functions of an event's stack, n of them, the innermost first; valid until the next call. */
int exporter_stack(struct exporter *e, const struct recorded_event *event, const struct data_text **names, size_t *n);

/* The last part of a path: "make" of "/usr/bin/make". */
const char *exporter_basename(const char *path);

/* True when a result is shown as nothing but its number. */
bool exporter_is_number(struct data_text text);

/* A moment of the run that is known as ns since 1970 by CLOCK_MONOTONIC, as far as the recording can tell. */
uint64_t exporter_monotonic(const struct exporter *e, uint64_t realtime);

#endif
