/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings kept once: the same text is the same pointer. */
#ifndef EXECTRACE_ANSWER_RECORDING_POOL_H
#define EXECTRACE_ANSWER_RECORDING_POOL_H

#include <exectrace/format/data/intern.h>

struct pool {
	struct intern table;
	char **strings; /* by number - 1 */
	size_t n, cap;
};

#define POOL_INIT ((struct pool){0})

/* The pool's copy of n bytes, with a NUL behind them, in *text. *number (NULL is allowed): 0, 1, ... 0 or -ENOMEM. */
int pool_text(struct pool *pool, const char *bytes, size_t n, const char **text, uint32_t *number);

/* Frees everything. */
void pool_release(struct pool *pool);

#endif
