/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that come in the order of their beginnings, as beginnings and ends of calls that lie beside or within each
 * other: on each stack by itself, as the clocks of CPUs need not agree.
 */
#ifndef EXECTRACE_ANSWER_EXPORT_GUEST_NEST_H
#define EXECTRACE_ANSWER_EXPORT_GUEST_NEST_H

#include <exectrace/answer/export/guest/guest.h>
#include <exectrace/answer/format/byte_map.h>

/* A task on a stack: it has a track for itself. It stays until nest_release. */
struct nest_task {
	uint64_t number;    /* 1, 2, ... */
	bool told;          /* which task it is */
	uint32_t pid, tgid; /* of a task that is told */
	const char *name;
	uint64_t stack; /* as recorded */
	void *user;     /* the sink's */
};

/* An open call. */
struct nest_call {
	struct call_line line;
	uint64_t begin, end; /* ticks: as the line has it, but within the call around it */
	struct nest_task *task;
	bool root;          /* the call around it did not make it */
	uint64_t mark, sum; /* the sink's: 0 at its beginning */
};

struct nest_stack {
	struct nest_task *task;
	struct nest_call *calls; /* n of them, the outermost first */
	size_t n, cap;
	uint64_t now; /* tick of the last beginning or end */
};

/* What is told. 0, or -errno to end it. */
struct nest_sink {
	void *ctx;
	int (*task)(void *ctx, struct nest_task *task);    /* it is new, or has got a new name; may be NULL */
	int (*open)(void *ctx, struct nest_stack *stack);  /* calls[n - 1] has begun */
	int (*close)(void *ctx, struct nest_stack *stack); /* it ends */
};

struct nest {
	const struct nest_sink *sink;
	struct byte_map stacks; /* by number as recorded: the place in `all`, and 1 */
	struct nest_stack *all;
	size_t n, cap;
	struct nest_task **tasks;
	size_t n_tasks, cap_tasks;
};

/* Takes a line. 0, -ENOMEM, or what the sink returned. */
int nest_line(struct nest *nest, const struct call_line *line);

/* Ends what is open. The same. */
int nest_finish(struct nest *nest);

/* Frees everything. */
void nest_release(struct nest *nest);

#endif
