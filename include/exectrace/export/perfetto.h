/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perfetto's trace format: a file of packets in Protocol Buffers, for ui.perfetto.dev and trace_processor. Source: the
 * schema that Perfetto publishes (protos/perfetto/trace). Slices belong to tracks: one a process, and one a thread,
 * which the viewer puts under its process by the process id. Names that recur are written once, numbers stand for them.
 *
 * All functions append packets to the buffer given to perfetto_new, which the caller may empty whenever it likes, and
 * return 0 or -ENOMEM. Texts may hold any bytes; what is not UTF-8, and control characters, become \xNN.
 */
#ifndef EXECTRACE_EXPORT_PERFETTO_H
#define EXECTRACE_EXPORT_PERFETTO_H

#include <exectrace/base/buf.h>
#include <exectrace/data/record.h>

#define PERFETTO_NOTES_MAX 16 /* of one slice */

struct perfetto;

/* What is said of a slice. */
struct perfetto_note {
	const char *name;
	struct data_text text; /* when text.bytes is not NULL, else: */
	int64_t number;
};

/* A span of time on a track, or a moment. */
struct perfetto_slice {
	uint64_t track;      /* as given to perfetto_process or perfetto_thread */
	uint64_t begin, end; /* CLOCK_MONOTONIC, ns */
	bool instant;        /* only its begin counts */
	const char *category;
	struct data_text name;
	const struct perfetto_note *notes;
	unsigned nnotes; /* at most PERFETTO_NOTES_MAX */
	uint64_t stack;  /* what perfetto_stack gave; 0: none */
};

/* *ret is set on success only. */
int perfetto_new(struct perfetto **ret, struct buf *out);

/* Frees it. NULL is allowed. */
void perfetto_free(struct perfetto *p);

/* First of all, once: what CLOCK_MONOTONIC and CLOCK_REALTIME said at one moment, ns. */
int perfetto_start(struct perfetto *p, uint64_t monotonic, uint64_t realtime);

/*
 * Names the track of a process, or names it anew. track: a number that no other track has, not 0. argv: words that each
 * end with a NUL; empty when unknown.
 */
int perfetto_process(struct perfetto *p, uint64_t track, uint32_t pid, struct data_text name, struct data_text argv);

/* The same for a thread. */
int perfetto_thread(struct perfetto *p, uint64_t track, uint32_t pid, uint32_t tid, struct data_text name);

/* The number of a stack of n function names, the innermost first. */
int perfetto_stack(struct perfetto *p, const struct data_text *functions, size_t n, uint64_t *stack);

/* Adds a slice, in any order. That those of one track lie beside or within each other is the caller's to see to. */
int perfetto_slice(struct perfetto *p, const struct perfetto_slice *slice);

#endif
