/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind answer/report/shapes.h share. */
#ifndef EXECTRACE_SRC_ANSWER_REPORT_SHAPES_H
#define EXECTRACE_SRC_ANSWER_REPORT_SHAPES_H

#include <exectrace/answer/report/shapes.h>

/* What is known of a function. */
struct shaped {
	struct growth growth;
	uint64_t calls; /* that are in shapes */
	uint64_t last;  /* tick at which the last one of those in `growth` began, ... */
	uint32_t cpu;   /* ... and where */
	struct shapes_shape *shapes;
	uint32_t n, cap;
	uint32_t recent;                 /* the shape of the call before */
	uint32_t pid;                    /* of the first call */
	bool tasks;                      /* there are others, too */
	bool varied;                     /* it has too many shapes, or a call that has too many callees */
	struct shapes_returned *results; /* of its calls in shapes; NULL: not recorded, or too many */
	uint32_t n_results;
	bool results_vary; /* there are too many */
};

struct shapes {
	struct replay *replay;
	struct shapes_options options;
	uint8_t *means; /* by number of the function */
	size_t n_means;
	struct shaped *functions; /* by number */
	size_t n_functions;
	struct building **stacks; /* by number of the stack: what its open calls have called so far */
	size_t n_stacks;
};

/* Where a function belongs to. */
enum shapes_code shapes_code_of(const struct replay_function *f);

/* What a call that is over has returned, as far as calls are compared by it: a pointer is one, or NULL, or an error.
 * False: it is not known. */
bool shapes_result(const struct replay *p, uint32_t function, int64_t *result);

/* Whether it is NULL, or the number of an error. */
bool shapes_is_failure(const struct replay_function *f, int64_t result);

/* Whether it is called or not depending on what else goes on. */
bool shapes_is_noise(const struct replay_function *f);

#endif
