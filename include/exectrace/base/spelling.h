/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a mistyped word was probably meant to be: the candidate with the fewest edits. */
#ifndef EXECTRACE_BASE_SPELLING_H
#define EXECTRACE_BASE_SPELLING_H

#include <stddef.h>

#define SPELLING_MAX 31 /* bytes in a word; longer ones are like nothing */

/* A search over candidates. */
struct spelling {
	const char *word; /* n bytes, the caller's */
	size_t n;
	size_t limit;        /* fewer edits than this are needed */
	const char *nearest; /* the best candidate so far; NULL: none is near */
};

/*
 * Starts a search for n bytes of word; words of one byte are like nothing. As many edits are allowed as a third of
 * the word has bytes, rounded up.
 */
void spelling_start(struct spelling *s, const char *word, size_t n);

/* Compares a candidate, which the search may keep a pointer to. Of equals, the first one stays. */
void spelling_try(struct spelling *s, const char *candidate);

/*
 * The number of insertions, deletions, replacements and swaps of neighbours that lead from a to b (optimal string
 * alignment), upper and lower case being the same. Both have at most SPELLING_MAX bytes.
 */
size_t spelling_distance(const char *a, size_t na, const char *b, size_t nb);

#endif
