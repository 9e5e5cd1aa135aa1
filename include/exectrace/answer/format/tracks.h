/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happened over time, for viewers: slices on tracks, one track a process and one a thread, which the viewer puts
 * under its process by the process id. Perfetto's format and Chrome's both are that: export/perfetto.h, chrome.h.
 *
 * All functions append to the buffer that the format was made with, which the caller may empty whenever it likes, and
 * return 0 or -ENOMEM. Texts may hold any bytes; what is not UTF-8, and control characters, become \xNN.
 */
#ifndef EXECTRACE_ANSWER_FORMAT_TRACKS_H
#define EXECTRACE_ANSWER_FORMAT_TRACKS_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>

#define TRACK_NOTES_MAX 16 /* of one slice */

/* What is said of a slice. */
struct track_note {
	const char *name;
	struct data_text text; /* when text.bytes is not NULL, else: */
	int64_t number;
};

/* A span of time on a track, or a moment. */
struct track_slice {
	uint64_t track;      /* as given to tracks_process or tracks_thread */
	uint64_t begin, end; /* ns */
	bool instant;        /* only its begin counts */
	const char *category;
	struct data_text name;
	const struct track_note *notes;
	unsigned nnotes; /* at most TRACK_NOTES_MAX */
	uint64_t stack;  /* what tracks_stack gave; 0: none */
};

struct tracks;

/* A format. */
struct tracks_ops {
	int (*start)(struct tracks *t, uint64_t monotonic, uint64_t realtime);
	int (*process)(struct tracks *t, uint64_t track, uint32_t pid, struct data_text name, struct data_text argv);
	int (*thread)(struct tracks *t, uint64_t track, uint32_t pid, uint32_t tid, struct data_text name);
	int (*stack)(struct tracks *t, const struct data_text *functions, size_t n, uint64_t *stack);
	int (*open)(struct tracks *t, const struct track_slice *slice);
	int (*close)(struct tracks *t, uint64_t track, uint64_t end); /* NULL: nothing is to be written */
	int (*finish)(struct tracks *t);                              /* NULL: the same */
	void (*free)(struct tracks *t);
};

/* The beginning of a format's own struct. */
struct tracks {
	const struct tracks_ops *ops;
};

/* Frees it. NULL is allowed. */
void tracks_free(struct tracks *t);

/* First of all, once: what CLOCK_MONOTONIC and CLOCK_REALTIME said at one moment, ns; realtime 0: unknown. */
int tracks_start(struct tracks *t, uint64_t monotonic, uint64_t realtime);

/*
 * Names the track of a process, or renames it. track: a number that no other track has, not 0. argv: words that each
 * end with a NUL; empty when unknown.
 */
int tracks_process(struct tracks *t, uint64_t track, uint32_t pid, struct data_text name, struct data_text argv);

/* Likewise for a thread. */
int tracks_thread(struct tracks *t, uint64_t track, uint32_t pid, uint32_t tid, struct data_text name);

/* The number of a stack of n function names, the innermost first. */
int tracks_stack(struct tracks *t, const struct data_text *functions, size_t n, uint64_t *stack);

/*
 * Adds a slice whose end is told later by tracks_close, for which the slices of a track are taken from the innermost
 * one on. An instant is over at once. slice->end has to be what tracks_close will say.
 */
int tracks_open(struct tracks *t, const struct track_slice *slice);
int tracks_close(struct tracks *t, uint64_t track, uint64_t end);

/*
 * Adds a slice within which there is no other one. Slices may come in any order of time: that those of one track lie
 * beside or within each other is the caller's to see to.
 */
int tracks_slice(struct tracks *t, const struct track_slice *slice);

/* Writes what stands at the end. */
int tracks_finish(struct tracks *t);

#endif
