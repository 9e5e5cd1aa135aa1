/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What delayed a guest: the chain of who waited for whom, found from the end backwards. Where a task waited that
 * another one let run again, the chain goes on with that other one; where a timer or an interrupt did, or nobody, the
 * wait is a link of the chain. So each moment of the recording is one task's, which ran, waited, or had no processor.
 */
#ifndef EXECTRACE_ANSWER_WAITS_WAIT_CHAIN_H
#define EXECTRACE_ANSWER_WAITS_WAIT_CHAIN_H

#include <exectrace/answer/waits/task_waits.h>

enum link_kind {
	LINK_RAN,
	LINK_WAITED,
	LINK_READY, /* it could run, and had no processor */
};

struct chain_link {
	uint64_t from, to;
	uint32_t task; /* its number */
	enum link_kind kind;
	const struct task_wait *wait;     /* LINK_WAITED, LINK_READY: which one; NULL: none is known */
	uint32_t for_task;                /* who waited for it; WAITS_NOBODY: nobody */
	const struct task_wait *for_wait; /* in which wait; NULL: for_task is WAITS_NOBODY */
};

struct wait_chain {
	struct task_waits *waits;
	struct chain_link *links; /* in the order of time, without gaps */
	size_t n, cap;
	/* private: links by task */
	struct chain_place *places;
	size_t n_places;
	uint64_t *until; /* how much of its task's time on the chain there is up to the end of each link */
};

/* Makes the chain; waits must outlive it. 0 or -ENOMEM; an empty chain when nothing is known. */
int wait_chain_make(struct wait_chain *chain, struct task_waits *waits);
void wait_chain_release(struct wait_chain *chain);

/* Replays all that was recorded for the waits of tasks, *waits, which are the caller's, and their chain. 0 or -ENOMEM.
 */
int wait_chain_read(struct wait_chain *chain, struct task_waits **waits, struct replay *p);

/* The name that the task of a link had then. */
const char *wait_chain_name(const struct wait_chain *chain, const struct chain_link *link);

/* Between two ticks: how long the chain was at a task until the first, and whether it stays there until the second. */
struct chain_window {
	uint64_t key; /* of the task + 1; 0: of none yet */
	uint64_t from, to;
	uint64_t before;
	bool there;
};

/* The window of a task, as below, that has a tick in it. */
void wait_chain_window(const struct wait_chain *chain, uint32_t pid, uint32_t stack, uint64_t tick,
                       struct chain_window *window);

static inline uint64_t chain_key(uint32_t pid, uint32_t stack)
{
	return pid ? pid : 1ull << 32 | stack;
}

/*
 * How long until a tick the chain was at the task with a process id; of an idle one, at that with a kernel stack.
 * *window is the caller's, begins as zeros, and makes it fast.
 */
static inline uint64_t chain_window_at(const struct wait_chain *chain, struct chain_window *window, uint32_t pid,
                                       uint32_t stack, uint64_t tick)
{
	if (__builtin_expect(window->key != chain_key(pid, stack) + 1 || tick < window->from || tick >= window->to, 0))
		wait_chain_window(chain, pid, stack, tick, window);
	return window->before + (window->there ? tick - window->from : 0);
}

#endif
