/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the sinks that write a line a call share: decoding, which calls are wanted, output held back. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_WRITER_H
#define EXECTRACE_SRC_RECORD_TRACE_WRITER_H

#include <exectrace/base/strv.h>
#include <exectrace/record/form/form.h>
#include <exectrace/record/trace/options.h>
#include <exectrace/record/trace/process/memory.h>
#include <exectrace/record/trace/stacks/stacks.h>

struct writer_config {
	int fd;                         /* written to; the caller's */
	const struct outputs *separate; /* each thread has a file; NULL: all is written to fd */
	unsigned string_max;
	struct trace_form form;                /* how text looks */
	const struct trace_counting *counting; /* of the table of calls */
	const struct trace_sets *sets;         /* calls whose text differs */
	bool started;                          /* the process was made to be traced */
	struct contexts *contexts;             /* NULL: none are shown */
	bool why;                    /* not what exectrace-why(1) has no use for: quick reads and writes of files */
	const struct strv *paths;    /* only calls about these files; NULL, or none: all */
	bool partial;                /* some calls are not shown to the sink */
	struct trace_stacks *stacks; /* what identifiers of stacks mean; NULL: there are none */
};

/* Where in the output a stack goes, when it has names. */
struct writer_mark {
	size_t at;
	uint64_t stack;
};

struct writer {
	struct call_sink sink; /* first */
	struct writer_config config;
	struct memory memory;
	struct decoder decoder;
	struct buf out;
	struct buf marks;                                        /* of struct writer_mark, by ascending places */
	const struct stack_form *stack_form;                     /* how they are written */
	int (*line)(struct writer *, const struct call_event *); /* adds what an event says to `out`. 0 or -ENOMEM */
	int (*last)(struct writer *); /* adds what stands at the end. 0 or -ENOMEM; NULL: nothing */
};

/*
 * Makes a sink of what begins with a struct writer, which is freed with the sink. config.paths must stay. Each event is
 * shown to line() with the memory of its thread; what has come together is written in large pieces.
 */
struct call_sink *writer_init(struct writer *writer, const struct writer_config *config,
                              int (*line)(struct writer *, const struct call_event *), int (*last)(struct writer *));

/* The end of the argument that begins at text: a comma or the closing parenthesis that stands outside of all quotes and
 * brackets. NULL when there is none. */
const char *writer_argument_end(const char *text);

/* Whether a call is shown that has `ended`, or will not any more. */
bool writer_shows(const struct writer_config *config, const struct thread *thread, bool ended);

/* True when the text of such a call (thread->line) is asked for. */
bool writer_wants(const struct writer *writer, const struct thread *thread, bool ended);

/* Whether only calls about some files are asked for. */
bool writer_has_paths(const struct writer_config *config);

/*
 * Whether the text of which it is found out (thread->line) has more paths than the one that is shown (thread->plain):
 * --path finds calls by those of descriptors.
 */
bool writer_is_plain(const struct writer_config *config);

/* True when n bytes of the text of a call name one of the files: as an argument, or behind a descriptor. */
bool writer_names(const char *text, size_t n, const struct strv *paths);

/* From now on another file is written to; what is there is written to the one before. 0 or -errno. */
int writer_turn(struct writer *writer, int fd);

/* Before the call of a thread is decoded: as it is asked for. */
void writer_choose(struct writer *writer, const struct thread *thread);

/* Adds the stack of a thread's call, if it has one, in the writer's own form. 0 or -ENOMEM. */
int writer_stack(struct writer *writer, const struct thread *thread);

#endif
