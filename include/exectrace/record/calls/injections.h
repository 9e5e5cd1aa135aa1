/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is done to calls in place of only watching them: they fail or return what they are told to without being made,
 * are late, or come with a signal. The forms are those of strace(1), -e inject.
 */
#ifndef EXECTRACE_RECORD_CALLS_INJECTIONS_H
#define EXECTRACE_RECORD_CALLS_INJECTIONS_H

#include <exectrace/target/decode/decode.h>
#include <exectrace/target/syscalls/filter.h>

/* Bytes that are written to where an argument of a call points to. */
struct poke {
	unsigned arg; /* from 0 on */
	bool at_end;  /* of the call, not at its entry */
	unsigned char *bytes;
	size_t n;
};

/* What is done to the calls of a list. */
struct injection {
	struct syscall_filter calls;
	uint64_t first, last, step; /* which of a thread's, from 1 on: first, first + step, ... up to last */
	bool has_result;            /* not made: `result` is returned */
	int64_t result;             /* -errno, or with `succeeds` any value */
	bool succeeds;              /* whatever the value looks like */
	const char *instead;        /* the call that is made in its place; NULL: none */
	struct poke *pokes;
	size_t n_pokes, pokes_cap;
	int sig;              /* sent at the entry; 0: none */
	uint64_t delay_enter; /* ns before it is made */
	uint64_t delay_exit;  /* ns before it returns */
};

/* Those of a run; plain zeroes are none. */
struct injections {
	struct injection *items;
	size_t n, cap;
	struct syscall_filter calls; /* all of those calls */
};

/* What a thread has met of them; plain zeroes at first. */
struct injected {
	uint64_t *counts;           /* of each */
	const struct injection *of; /* of the call that it makes; NULL: nothing is done to it */
	bool returned;              /* the result of the last call was injected */
	bool late;                  /* it was delayed */
	bool changed;               /* another call is made in its place, whose result is to be replaced */
	bool poked;                 /* something was written behind its arguments */
	int sent;                   /* the signal that was sent to the thread and is yet to come; 0: none */
};

/*
 * Adds what text says: LIST[:error=ERRNO|:retval=N][:syscall=NAME][:signal=SIG][:delay_enter=TIME][:delay_exit=TIME]
 * [:poke_enter=@argN=HEX[,...]][:poke_exit=@argN=HEX[,...]][:when=WHICH].
 * fault: with neither error nor anything else it is error=ENOSYS. 0; -ENOMEM; -EINVAL with one line in err.
 */
int injections_add(struct injections *injections, const char *text, bool fault, struct buf *err);

/* Nothing is done to calls that are not in `calls`. */
void injections_keep(struct injections *injections, const struct syscall_filter *calls);

/* A thread enters a call: counts it, and sets injected->of. 0 or -ENOMEM. */
int injections_enter(const struct injections *injections, struct injected *injected, const struct syscall_call *call);

/* Frees what they hold. */
void injections_release(struct injections *injections);
void injected_release(struct injected *injected);

#endif
