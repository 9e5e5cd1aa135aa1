/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of a process that come again and again: the same call on the same file. Of each it is kept how many bytes
 * it moved and how long it took, to say whether that grows.
 *
 * Where a file is opened again and again, or read to its end more than once, what counts is the pass: all the calls
 * between one beginning and the next. Else each call counts.
 */
#ifndef EXECTRACE_ANSWER_STORY_STATE_STREAMS_H
#define EXECTRACE_ANSWER_STORY_STATE_STREAMS_H

#include <exectrace/answer/trend/growth.h>

#define STREAMS_OF_PROCESS 256u /* that are kept; of more those with the fewest calls are given up */
#define STREAMS_OF_ALL 4096u    /* the same of what processes of one program do */

/* A kind of call; equal ones are equal pointers. */
struct stream_call {
	const char *name;  /* "read" */
	const char *doing; /* "reading" */
	bool sized;        /* it moves bytes */
	bool writes;       /* and writes them */
};

/* Who does what with which file: equal ones are equal pointers. who: "" of a process, or the name of a program. */
struct stream_key {
	const char *who;
	const struct stream_call *call;
	const char *file;
};

struct stream {
	struct stream_key key;
	bool passes;          /* they count, not single calls */
	bool opened, at_end;  /* what comes next begins a pass, ... */
	uint64_t calls;       /* ... behind so many calls, ... */
	uint64_t bytes, time; /* ... which took so much */
	uint64_t all_bytes, all_time, all_calls;
	struct growth size, took;
	uint32_t next; /* private */
};

/* All 0 at first, but max. */
struct streams {
	uint32_t max; /* how many are kept */
	struct stream *items;
	size_t n, cap;
	uint32_t *heads; /* private, ... */
	bool full;       /* ... and this: all were kept for their calls when there was no more room */
};

/* A call that succeeded. */
struct stream_use {
	uint64_t bytes, time;
	bool from_start; /* it begins a pass whatever was before */
	bool at_end;     /* it found that there is no more to read */
};

/* How a stream grows. */
struct stream_fit {
	struct growth_fit fit;
	bool passes; /* it is of passes, else of calls */
	bool bytes;  /* costs are bytes, else ns */
	uint64_t all_bytes, all_time;
};

/* Adds a call. 0 or -ENOMEM. */
int streams_add(struct streams *streams, const struct stream_key *key, const struct stream_use *use);

/* The file was opened, or cut: what is read or written from now on is another pass. */
void streams_begin(struct streams *streams, const char *file);

/* A file was renamed: what was written to it was another pass of writing the one that it replaces. 0 or -ENOMEM. */
int streams_move(struct streams *streams, const char *from, const char *to);

/* What is to be said of a stream to which nothing will be added any more. False: nothing. */
bool stream_fit(struct stream *stream, struct stream_fit *fit);

/* Empties them; max stays. */
void streams_release(struct streams *streams);

#endif
