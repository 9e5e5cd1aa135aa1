/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of --format=html: a frame of HTML, styles and scripts, which the Makefile makes of src/export/html/, and
 * between its two halves what it shows, as one JSON object. Nothing of a recording stands in the page elsewhere.
 */
#ifndef EXECTRACE_ANSWER_HTML_HTML_PAGE_H
#define EXECTRACE_ANSWER_HTML_HTML_PAGE_H

#include <exectrace/answer/calltree/overview.h>
#include <exectrace/answer/format/spool.h>
#include <exectrace/answer/recording/recording.h>
#include <exectrace/answer/recording/tree.h>

#define HTML_PATHS 40000u     /* call paths in a page; of more than that the smallest are counted with their callers */
#define HTML_FUNCTIONS 20000u /* rows of the table */
#define HTML_LANES 400u       /* tasks and threads */
#define HTML_PROCESSES 4000u  /* the longest ones */
#define HTML_SPANS 300u       /* initialisations */

/* What is known beside the overview. */
struct html_facts {
	const struct recording *recording;
	const struct recording *other;   /* that it is compared with; NULL: none */
	const char *unit;                /* of times */
	uint64_t hz;                     /* of them a second; 0: they are no time */
	const struct process_tree *tree; /* its processes, of the host; NULL: they are not to be in the chart */
	const struct strv *notes;        /* of the recorder; NULL: none */
};

/* The two halves; they are not ended by a NUL. */
extern const char html_head[], html_tail[];
extern const size_t html_head_size, html_tail_size;

/* Writes the page to e->out.text. 0, -ENOMEM, or what spool_drain returned. */
int html_page(struct spool *out, struct overview *s, const struct html_facts *facts);

/* The parts of the page. A failure stays in the buffer (base/buf.h), and nothing follows it. */

/* A string that can stand in a script element: JSON, in which < > & are escaped. */
void html_string(struct buf *out, const char *text);

/* `,"key":`, or `"key":` at the beginning of an object. */
void html_key(struct buf *out, const char *key);

/*
 * What the element of an array needs before it: a comma, but for the first. Behind this is the place for spool_drain,
 * as what was written is not looked at any more.
 */
void html_item(struct buf *out);

/* The call paths, and the rows of functions, as members of an object. 0 or -ENOMEM. */
int html_paths(struct spool *out, struct overview *s, unsigned sides);

/* The lanes, spans and processes, the same way. */
void html_chart(struct spool *out, const struct overview *s, const struct html_facts *facts);

/* The processes of facts->tree, the same way. Times count from start; the last of all is `last`. */
void html_processes(struct spool *out, const struct html_facts *facts, uint64_t start, uint64_t last);

/* When the first process began and the last one ended, as events have times; 0: unknown. */
uint64_t html_processes_start(const struct html_facts *facts);
uint64_t html_processes_end(const struct html_facts *facts);

#endif
