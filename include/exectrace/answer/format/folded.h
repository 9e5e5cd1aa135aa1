/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: one line for each different stack, `outermost;...;innermost WEIGHT`, as flamegraph.pl, speedscope and
 * Perfetto read them. Weights of equal stacks are added up; the lines come in the order of their bytes.
 */
#ifndef EXECTRACE_ANSWER_FORMAT_FOLDED_H
#define EXECTRACE_ANSWER_FORMAT_FOLDED_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/record.h>

struct folded;

/* Something to weigh. */
struct folded_stack {
	struct data_text root;             /* the first frame of the line */
	const struct data_text *functions; /* n of them, the innermost first */
	size_t n;
	struct data_text leaf; /* the last frame of the line, written in []; empty: none */
};

/* *ret is set on success only. 0 or -ENOMEM. */
int folded_new(struct folded **ret);

/* Frees it. NULL is allowed. */
void folded_free(struct folded *f);

/* The number of a stack, to weigh it any number of times: from 0, the same for all that give the same line. 0 or
 * -ENOMEM. */
int folded_stack(struct folded *f, const struct folded_stack *stack, size_t *number);

/* Adds to its weight, which stays at UINT64_MAX once it gets there. */
void folded_add(struct folded *f, size_t number, uint64_t weight);

/*
 * The i-th line with its newline, once all is added: names with \xNN in place of `;`, of control characters and of what
 * is not UTF-8. Stacks without weight have no line: nothing is appended then. *weight is the line's. 1; 0 when there is
 * no i-th; -ENOMEM.
 */
int folded_line(struct folded *f, size_t i, struct buf *out, uint64_t *weight);

/* The lines with less than this weight become one for each root, `root;[folded] WEIGHT`. 0 or -ENOMEM. */
int folded_fold(struct folded *f, uint64_t below);

#endif
