/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An exporter as its formats see it, and what they share. */
#ifndef EXECTRACE_ANSWER_EXPORT_EXPORTER_EXPORTER_H
#define EXECTRACE_ANSWER_EXPORT_EXPORTER_EXPORTER_H

#include <exectrace/answer/export/exporter/budget.h>
#include <exectrace/answer/export/exporter/options.h>
#include <exectrace/answer/format/jsonl.h>
#include <exectrace/answer/format/spool.h>
#include <exectrace/answer/recording/execs.h>
#include <exectrace/answer/recording/recording.h>

struct exporter;
struct guest;

/* A format. Its functions return 0, -ENOMEM, or what spool_drain returned. */
struct exporter_ops {
	const char *name;
	bool binary;
	bool database;   /* it writes the file options.path itself; errors are told in options.why */
	bool directory;  /* what it writes are files in options.directory; 0, or -errno of one of them */
	bool sums;       /* what it writes are sums, not events: it asks options.budget itself */
	bool both;       /* it has a guest's calls and those of the host's processes side by side */
	bool samples;    /* it has samples, too, not calls alone */
	bool alone;      /* calls or samples, not both */
	bool compares;   /* it takes events of two recordings: see exporter_compare */
	bool timed;      /* what it writes is in the order of time, so that it can be cut by that */
	bool titled;     /* its first line is a title */
	const char *end; /* what a file of such lines ends with (".csv"); NULL: it has no lines that can be cut apart */
	size_t size;     /* of the format's own struct, which begins with a struct exporter */
	int (*begin)(struct exporter *e);
	int (*event)(struct exporter *e, const struct recorded_event *event);
	/* What a process does, also where its calls are not wanted; before `event`. NULL: it does not care. */
	int (*process)(struct exporter *e, const struct recorded_event *event);
	execs_fn *exec; /* a line of execs.jsonl, after all events; ctx is the exporter. NULL: it does not care */
	/* So many calls of a thread, which took so long together, were folded away. NULL: it cannot say so. */
	int (*folded)(struct exporter *e, const struct recorded_thread *thread, uint64_t calls, uint64_t time);
	int (*finish)(struct exporter *e);
	int (*guest)(struct guest *g);       /* all calls of a guest, in place of events; see guest.h */
	void (*release)(struct exporter *e); /* what begin and event left; begin may have failed */
};

/* What was folded away of a thread's calls. */
struct exporter_rest {
	uint64_t calls, time;
};

struct exporter {
	const struct exporter_ops *ops;
	struct recording *recording;
	struct export_options options;
	struct recording *other;     /* it is compared with this one */
	unsigned side;               /* 1: what comes is of the other one */
	struct spool out;            /* to options.write, or nowhere while a budget is measured */
	struct buf functions;        /* what exporter_stack gives */
	struct buf whence;           /* the members that each line of JSON begins with; empty: not made yet */
	struct exporter_rest *rests; /* by the numbers of threads, when there is a budget */
	size_t n_rests;
	uint64_t stretch; /* of options.every, from 0: that of what was written last */
	bool called;      /* there were calls that are wanted, ... */
	bool sampled;     /* ... samples */
	bool full;        /* what it sums up had no room for all */
	bool guest;       /* it has been given the calls of a guest */
};

/* Bytes of output up to now. */
static inline uint64_t exporter_position(const struct exporter *e)
{
	return spool_position(&e->out);
}

/* True when this time is for measuring only: see budget.h. */
static inline bool exporter_measures(const struct exporter *e)
{
	return e->options.budget && budget_measures(e->options.budget);
}

/* The names of the functions of an event's stack, n of them, the innermost first; valid until the next call. */
int exporter_stack(struct exporter *e, const struct recorded_event *event, const struct data_text **names, size_t *n);

/* True when a result is shown as nothing but its number. */
bool exporter_is_number(struct data_text text);

/* To be called before what is so many ns behind the start of the recording is written. 0, or what spool_flush does. */
int exporter_moment(struct exporter *e, uint64_t since);

/* Begins a line of JSON: `run` and `host`. What fails stays in j->err. */
void exporter_json_begin(struct exporter *e, struct jsonl *j);

/* A moment of the run that is known as ns since 1970 by CLOCK_MONOTONIC, as far as the recording can tell. */
uint64_t exporter_monotonic(const struct exporter *e, uint64_t realtime);

#endif
