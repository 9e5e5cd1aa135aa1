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

/* A record that is being made. */
struct making {
	struct record *record;
	unsigned char *at, *end;
	int failed; /* it does not fit, or is to be looked at: the thread is to stop */
};

/* Copies what an argument of the call in the area points to. */
void agent_put(struct making *m, const struct area *area, const struct need *need);
/* Where the call in the area was made, with a copy of the stack. */
void agent_put_stack(struct making *m, const struct area *area);
/* What the new descriptor fd refers to. */
void agent_put_link(struct making *m, uint64_t fd);

/* A call that is to be counted is about to begin. 0: there is no room. */
int agent_count_begin(struct area *area);
/* It has ended: it is counted. */
void agent_count_end(struct area *area, uint64_t now, int failed);

/* At a call. 1: it is recorded, and to be made. 0: it is to stop. */
int agent_enter(struct area *area);
/* Behind it. 0: it is recorded. 1: the tracer is to see the thread, and to record it. */
int agent_exit(struct area *area);

/* rt_sigprocmask is made with a mask of ours in place of the program's; then the program sees its own. */
void agent_take_mask(struct area *area);
void agent_show_mask(struct area *area);
/* Likewise the mask of an action (rt_sigaction). */
void agent_take_action(struct area *area);
void agent_show_action(const struct area *area);

/* A system call of the agent's own: -errno, as the kernel has it. */
static inline int64_t agent_call(uint64_t nr, const uint64_t args[5])
{
	const uint64_t fourth = args[3], fifth = args[4];
	register uint64_t r10 __asm__("r10") = fourth;
	register uint64_t r8 __asm__("r8") = fifth;
	int64_t result;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(nr), "D"(args[0]), "S"(args[1]), "d"(args[2]), "r"(r10), "r"(r8)
	                 : "rcx", "r11", "memory");
	return result;
}

/*
 * Whether it can be the program's memory at all. What cannot is not touched: a fault costs a stop, and when the tracer
 * dies just then the program dies of it.
 */
static inline int may_be_there(uint64_t addr, uint64_t n)
{
	return addr >= LOWEST && addr + n <= HIGHEST;
}

#endif
