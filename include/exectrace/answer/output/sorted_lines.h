/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines, or groups of them, to be shown in the order of a key. With a limit only the first ones are kept. */
#ifndef EXECTRACE_ANSWER_OUTPUT_SORTED_LINES_H
#define EXECTRACE_ANSWER_OUTPUT_SORTED_LINES_H

#include <exectrace/answer/output/page.h>
#include <stdbool.h>
#include <stdint.h>

struct sorted_line {
	uint64_t key, order; /* order: that in which they came, for equal keys */
	size_t at, n;        /* in the text */
};

struct sorted_lines {
	size_t limit; /* 0: all */
	struct sorted_line *lines;
	size_t n, cap;
	uint64_t added;
	struct buf text;
	bool full;     /* there are `limit` lines ... */
	uint64_t last; /* ... and this is the highest of their keys */
};

/* False when a line with this key would certainly not be shown. */
bool sorted_lines_wants(const struct sorted_lines *s, uint64_t key);

/* Adds n bytes that end with a newline. 0 or -ENOMEM. */
int sorted_lines_add(struct sorted_lines *s, uint64_t key, const char *bytes, size_t n);

/* Shows them, with a text before the first one and one before each of the others. 0, -ENOMEM, -errno of a write. */
int sorted_lines_show(struct sorted_lines *s, struct page *page, const char *first, const char *others);

void sorted_lines_release(struct sorted_lines *s);

#endif
