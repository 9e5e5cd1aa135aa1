/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that is explained, and the words that its page is made of. */
#ifndef EXECTRACE_ANSWER_WHY_PAGE_PAGE_H
#define EXECTRACE_ANSWER_WHY_PAGE_PAGE_H

#include <exectrace/answer/causes/busy.h>
#include <exectrace/answer/causes/critical.h>
#include <exectrace/answer/causes/failure_chain.h>
#include <exectrace/answer/causes/growing.h>
#include <exectrace/answer/causes/odd_process.h>
#include <exectrace/answer/causes/samples.h>
#include <exectrace/answer/causes/waiting.h>
#include <exectrace/answer/story/story.h>
#include <exectrace/answer/why/guest/guest.h>

#define COMMAND_MAX 90u /* bytes of a command line, where it is not to be copied */
#define COPY_MAX 2000u  /* bytes of one that is */

struct why {
	struct story story;
	const struct tree_node *top; /* NULL: there are only guests */
	struct failure_chain chain;  /* empty when the top did not fail */
	struct waiting waiting;      /* empty when the top had ended */
	struct critical critical;
	struct busy busy;
	struct odd_processes odd;
	struct growing growing;
	struct samples samples;
	struct guest_story **guests;
	size_t n_guests, cap_guests;
	struct buf others; /* " 4711 4712": processes that fit, too, but come later than the top */
	struct buf data;   /* " DIR" behind commands that show more of it; empty for the default */
};

/* Each adds to a text; failures stay in out->err. */

/* Adds "./prog -l [4711]", at most max bytes of the command line. */
void page_process(struct buf *out, const struct tree_node *node, size_t max);

/* Likewise with a command line that it had before. */
void page_process_as(struct buf *out, const struct tree_node *node, const char *command, size_t max);

/* Likewise of a process of the recording, by its number. */
void page_process_of(const struct why *why, uint32_t number, struct buf *out);

/* Adds text that came from elsewhere, at most max bytes of it. */
void page_foreign(struct buf *out, const char *text, size_t max);

/* Likewise of a path, whose end says more than its middle. */
void page_name(struct buf *out, const char *name, size_t max);

/* Adds a time of an event as "1.23s", since the run began. */
void page_at(const struct why *why, uint64_t event, struct buf *out);

/* Adds the end of a process: "exit 1", "SIGSEGV". */
void page_end_of(struct buf *out, const struct tree_node *node);

/* Adds what a wait was for: "reading pipe:[4711]". */
void page_wait(const struct why *why, const struct wait *wait, struct buf *out);

#endif
