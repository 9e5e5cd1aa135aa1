/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last system calls of a thread, in a bounded space: long texts are left out or cut. */
#ifndef EXECTRACE_ANSWER_STORY_STATE_LAST_CALLS_H
#define EXECTRACE_ANSWER_STORY_STATE_LAST_CALLS_H

#include <exectrace/answer/recording/recording.h>

#define LAST_CALLS 3u        /* that are kept */
#define LAST_CALL_EXTRAS 6u  /* of each */
#define LAST_CALL_BYTES 256u /* of all these */
#define LAST_CALL_BUFFER 32u /* of bytes that it read or wrote */

struct last_call {
	uint64_t time; /* of its return; when unfinished: of the end */
	bool unfinished;
	struct data_syscall call; /* its extras are those here */
	struct data_extra extras[LAST_CALL_EXTRAS];
	char bytes[LAST_CALL_BYTES];
};

struct last_calls {
	struct last_call items[LAST_CALLS]; /* a ring */
	size_t n;                           /* all that were put there */
	struct last_call failed;            /* the last one that failed, but for some that say little */
	bool has_failed;
	struct last_call read; /* the last one that read from a file */
	bool has_read;
};

/* Puts a call there; *calls is made when it is NULL. 0 or -ENOMEM. */
int last_calls_take(struct last_calls **calls, const struct data_syscall *call, uint64_t time, bool unfinished);

/* The last call that failed, but for errors that are an answer more often; NULL: none is known. calls may be NULL. */
const struct last_call *last_calls_failed(const struct last_calls *calls);

/* The last call that read from a file; NULL: none is known. calls may be NULL. */
const struct last_call *last_calls_read(const struct last_calls *calls);

/* The last call (back 0), the one before that, ...; NULL: it is not there. calls may be NULL. */
const struct last_call *last_calls_at(const struct last_calls *calls, size_t back);

#endif
