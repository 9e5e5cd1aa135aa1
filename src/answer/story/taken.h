/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system call at hand, and what it says. */
#ifndef EXECTRACE_SRC_ANSWER_STORY_TAKEN_H
#define EXECTRACE_SRC_ANSWER_STORY_TAKEN_H

#include <exectrace/answer/story/history.h>

struct taken {
	struct history *h;
	struct process_history *p;
	struct thread_history *t;
	const struct recorded_event *event;
	const struct data_syscall *call;
	const char *name;
	const char *what; /* the file or address that it is about, in full; "" for none */
	bool unfinished;
};

/* True when it failed, or never returned. */
bool taken_fails(const struct taken *c);

/* What is recorded of an argument; 6: of the result. Empty when nothing is. */
struct data_text taken_extra(const struct taken *c, unsigned arg, enum data_extra_kind kind);

/* The object in "3<pipe:[4711]>" or "AT_FDCWD</tmp>". False: there is none. */
bool taken_object_in(struct data_text text, struct data_text *object);

/* The number of the object of that name; 0 without memory. */
uint32_t taken_number(const struct taken *c, struct data_text name);

/* What the descriptor in an argument (6: the result) refers to; 0: unknown. */
uint32_t taken_object(const struct taken *c, unsigned arg);

/* True when the object is a file. */
bool taken_is_file(const struct taken *c, uint32_t object);

/* False of a regular file or a directory, as it is now: whoever reads or opens it waits for no other process. */
bool taken_may_block(const struct taken *c, uint32_t object);

/* The call has changed a file (0: none), in a way such as "truncated", a string that stays. */
void taken_changes(const struct taken *c, uint32_t object, const char *how);

/* The text of an argument (6: of the result) as call_print has it, until the next is asked for. Empty: there is none.
 */
struct data_text taken_text(const struct taken *c, unsigned arg);

/* Where a word ends in a text; NULL: it is not there. */
const char *taken_behind(struct data_text text, const char *word);

/* The word behind `key` in a text, up to one of `ends`; empty when that is not there. */
struct data_text taken_word(struct data_text text, const char *key, const char *ends);

#endif
