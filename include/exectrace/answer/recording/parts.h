/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind answer/recording/recording.h share. */
#ifndef EXECTRACE_ANSWER_RECORDING_PARTS_H
#define EXECTRACE_ANSWER_RECORDING_PARTS_H

#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/pool.h>
#include <exectrace/answer/recording/recording.h>
#include <exectrace/format/data/reader.h>

#define RECENT_THREADS 16u /* a power of two */

struct process {
	struct recorded_process public; /* first */
	bool guessed;                   /* its beginning has not been read */
	bool inherited;                 /* argv is that of an older process, ... */
	bool lent;                      /* ... to which its own has been given */
};

struct known_thread {
	struct recorded_thread public; /* first */
	bool guessed;
};

/* A .xtr file. */
struct source {
	struct recorded_file public;
	char *path;
	bool member;                /* found in a directory, not named by the user */
	struct data_reader *reader; /* NULL: not begun, or done */
	struct data_event event;    /* the next one, when there is a reader */
	uint64_t time;              /* its time */
	uint64_t last;              /* of the first clock */
	uint64_t offset;            /* up to which it has been read, bytes */
	uint64_t lost;              /* records */
	bool begun;
	struct idmap threads;                       /* by tid: struct known_thread, the newest one */
	struct known_thread *about[RECENT_THREADS]; /* those found lately, by the low bits of tid */
	struct idmap stacks;                        /* by identifier: struct named_stack */
	struct idmap symbols;                       /* by file and address: struct recorded_function */
};

struct recording {
	char *path; /* that it was opened by */
	struct recording_options options;
	uint64_t done, total; /* bytes of all files: read, there */
	bool has_run;
	struct recorded_run run;
	struct buf execs; /* the path of execs.jsonl; empty: none */
	struct source *sources;
	size_t n, cap;
	/* those that are open, the one with the earliest event first (a binary heap) */
	size_t *heap;
	size_t open;
	size_t next;          /* source to be begun */
	struct source *given; /* whose event was given last; it has to take a step */
	struct pool texts;
	struct process **processes;
	size_t n_processes, cap_processes;
	struct strv *old_argvs; /* of programs that others were executed after, and their children go by */
	size_t n_old_argvs, cap_old_argvs;
	struct known_thread **threads;
	size_t n_threads, cap_threads;
	struct intern function_ids;
	struct recorded_function **functions;
	size_t n_functions, cap_functions;
	size_t frames;       /* of all stacks that were looked up */
	bool stacks_too_big; /* which was said */
	struct strv notes;
	bool damaged;
};

/* Adds a note. 0 or -ENOMEM. */
int recording_note(struct recording *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* --- source.c ----------------------------------------------------------------------------------------------------- */

/*
 * Looks at a file and adds it to the recording. 0; -EBADMSG, -errno with a line in why; -ENOMEM.
 */
int source_add(struct recording *r, const char *path, bool member, struct buf *why);

/* Opens the file and goes to its first event. 1; 0 when there is none, perhaps after a note; -ENOMEM. */
int source_begin(struct recording *r, struct source *s);

/* For callers who read no other file meanwhile, and ask for no names. */
int source_begin_alone(struct recording *r, struct source *s);

/* Goes to the next event. As source_begin. */
int source_step(struct recording *r, struct source *s);

void source_release(struct source *s);

/* --- member.c ----------------------------------------------------------------------------------------------------- */

/*
 * Opens a file of a recording's directory, which may be somebody else's: never through a link, and nothing but a
 * regular file. The descriptor or -errno, and then a line in `why`.
 */
int member_open(const char *path, struct buf *why);

/* --- process_table.c
 * ----------------------------------------------------------------------------------------------------- */

/* Notes what the current event of a source says of processes; *thread is who did it. 0 or -ENOMEM. */
int process_table_event(struct recording *r, struct source *s, const struct recorded_thread **thread);

void process_table_release(struct recording *r);

/* --- names.c ------------------------------------------------------------------------------------------------------ */

/* Frees the stacks and symbols of a source. */
void names_release_source(struct source *s);

/* Frees the functions. */
void names_release(struct recording *r);

/* --- run.c -------------------------------------------------------------------------------------------------------- */

/* Reads run.json; texts go into the pool. 0; -EBADMSG, -errno with a line in why; -ENOMEM. */
int run_read(struct recorded_run *run, struct pool *texts, const char *path, struct buf *why);

#endif
