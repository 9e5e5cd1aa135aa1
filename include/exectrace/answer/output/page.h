/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Long output: to standard output, or through a pager when that is a terminal: the first that is there of
 * $EXECTRACE_PAGER, $PAGER and less -FRX. When nobody reads it any more, that is a quiet end.
 */
#ifndef EXECTRACE_ANSWER_OUTPUT_PAGE_H
#define EXECTRACE_ANSWER_OUTPUT_PAGE_H

#include <exectrace/base/buf.h>
#include <exectrace/base/color.h>
#include <stdbool.h>
#include <stdio.h>

struct page {
	struct buf text; /* what is to be shown next: append to it */
	int width;       /* columns of the terminal; 0: it is none, lines may be of any length */
	bool color;      /* escape sequences for colours are welcome */
	/* Called before something is written; NULL: nobody is to know. */
	void (*writing)(void *ctx);
	void *ctx;
	struct buf *err; /* gets a line when something cannot be written; NULL: nobody is to know */
	FILE *pager;     /* private */
	bool wants_pager;
	bool gone; /* nobody reads it */
};

/* Begins. Nothing is started before the first output. paged: a pager is allowed. */
void page_begin(struct page *page, bool paged, enum color_choice color);

/*
 * Cuts the lines of the text from a byte on, which have no escape sequences, to the width of the terminal: `>` stands
 * for what is missing.
 */
void page_cut(struct page *page, size_t from);

/* Writes what has collected, when it is much. 0; -EPIPE when nobody reads; -errno. */
int page_flush(struct page *page);

/*
 * Writes the rest, unless rc (-errno) says that it is not worth it, and waits for the pager. 0, also when nobody reads;
 * rc, or -errno of a failed write.
 */
int page_end(struct page *page, int rc);

#endif
