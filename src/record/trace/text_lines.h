/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of the text of a trace, whatever they say. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_TEXT_LINES_H
#define EXECTRACE_SRC_RECORD_TRACE_TEXT_LINES_H

#include "writer.h"
#include <exectrace/record/form/prefixes.h>

struct text {
	struct writer w; /* first */
	struct prefixes prefixes;
	size_t line;         /* where the last line begins in w.out */
	int taken;           /* with a file for each thread: that of a process's first thread which is gone */
	struct buf context;  /* of the process that a line is of; empty: none is shown */
	struct thread *open; /* whose call the last line is, still without its end */
};

/* Begins a line for a thread; a call whose line stands open is cut first. Where it begins in t->w.out: t->line. 0 or
 * -ENOMEM. */
int text_begin(struct text *t, struct thread *thread, uint64_t wall);

/* What a line begins with tells the name of its process. When it is gone it has the last one that was seen. */
void text_learn(const struct text *t, struct thread *thread);

/* What counts as in front of the call where results are put in columns: strace counts all of the line. */
unsigned text_width(const struct text *t);

/* The same, for a line that is begun later. */
unsigned text_width_ahead(struct text *t, const struct thread *thread);

/* Says of a thread what strace says on standard error, whatever the output. 0 or -ENOMEM. */
int text_say(struct text *t, const struct thread *thread, const char *what);

/* Where each thread has a file, and its own line that stands open: has put() say an event there. 0 or -errno. */
int text_put_apart(struct text *t, const struct call_event *event,
                   int (*put)(struct text *, const struct call_event *));

#endif
