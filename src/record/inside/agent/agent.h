/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the agent have in common. It is no part of the program that is built here (agent.ld). */
#ifndef AGENT_H
#define AGENT_H

#include <exectrace/record/inside/layout.h>

#define LOWEST 0x10000 /* vm.mmap_min_addr as it is everywhere */
#define HIGHEST 0x7ffffffff000

/*
 * How many bytes could not be copied. Where to and from lie need not be there: the tracer sees a fault in here, and
 * lets the thread go on behind.
 */
uint64_t agent_copy(void *to, uint64_t from, uint64_t n);
/* How many bytes were copied; the last of them is the NUL, unless there were max or no more. */
int64_t agent_string(void *to, uint64_t from, uint64_t max);

/* At a call. 1: it is recorded, and to be made. 0: it is to stop. */
int agent_enter(struct area *area);
/* Behind it. 0: it is recorded. 1: the tracer is to see the thread, and to record it. */
int agent_exit(struct area *area);

/* rt_sigprocmask is made with a mask of ours in place of the program's; then the program sees its own. */
void agent_take_mask(struct area *area);
void agent_show_mask(struct area *area);
/* The same with the mask of an action (rt_sigaction). */
void agent_take_action(struct area *area);
void agent_show_action(const struct area *area);

/*
 * Whether it can be the program's memory at all. What cannot is not touched: a fault costs a stop, and when the tracer
 * dies just then the program dies of it.
 */
static inline int may_be_there(uint64_t addr, uint64_t n)
{
	return addr >= LOWEST && addr + n <= HIGHEST;
}

#endif
