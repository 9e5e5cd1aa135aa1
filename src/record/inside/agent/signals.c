/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SIGSYS is never blocked while the agent is there: what the program has of it is kept, and shown in place of ours. */
#include "agent.h"

#define SIG_UNBLOCK 1 /* of rt_sigprocmask(2) */
#define SIG_SETMASK 2
#define SIGNAL_BIT ((uint64_t)1 << (AGENT_SIGNAL - 1))

/* The call is made with a mask of ours in place of the program's. */
void agent_take_mask(struct area *area)
{
	int has;

	area->was_blocked = area->will_block = area->blocked;
	if (!may_be_there(area->rsi, 8) || agent_copy(&area->mask, area->rsi, sizeof(area->mask)))
		return; /* no mask, or the call fails */
	has = (area->mask & SIGNAL_BIT) != 0;
	if (area->rdi == SIG_SETMASK || has)
		area->will_block = (uint64_t)(has && area->rdi != SIG_UNBLOCK);
	area->mask &= ~SIGNAL_BIT;
	area->second = area->self + __builtin_offsetof(struct area, mask);
}

/* The kernel has just written there, but another thread may have unmapped it since. */
static void add_signal(uint64_t addr)
{
	uint64_t mask;

	if (agent_copy(&mask, addr, sizeof(mask)))
		return;
	mask |= SIGNAL_BIT;
	(void)agent_copy((void *)addr, (uint64_t)&mask, sizeof(mask));
}

/* What the program sees of it. */
void agent_show_mask(struct area *area)
{
	if (area->was_blocked && area->rdx)
		add_signal(area->rdx);
	area->blocked = area->will_block;
}

static uint64_t *masked_by(const struct area *area)
{
	return ((struct control *)INSIDE_DATA)->masked + area->slot;
}

/* Likewise the mask of an action (rt_sigaction). */
void agent_take_action(struct area *area)
{
	area->given = 0;
	area->was_masked = *masked_by(area) >> ((area->rdi - 1) & 63) & 1;
	if (!may_be_there(area->rsi, sizeof(area->action)) || agent_copy(area->action, area->rsi, sizeof(area->action)))
		return;
	area->given = 1 + ((area->action[3] & SIGNAL_BIT) != 0);
	area->action[3] &= ~SIGNAL_BIT;
	area->second = area->self + __builtin_offsetof(struct area, action);
}

void agent_show_action(const struct area *area)
{
	uint64_t bit = (uint64_t)1 << ((area->rdi - 1) & 63);

	if (area->rdx && area->was_masked)
		add_signal(area->rdx + 3 * sizeof(uint64_t));
	if (area->given)
		*masked_by(area) = (*masked_by(area) & ~bit) | (area->given == 2 ? bit : 0);
}
