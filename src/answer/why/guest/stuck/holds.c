/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/guest/stuck/holds.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>

struct hold {
	uint64_t lock, at;
	uint32_t owner;
	const char *task; /* of the owner */
	bool waits;       /* it was not woken since */
};

static struct hold *hold_of(const struct holds *holds, uint32_t pid)
{
	uintptr_t number = pid ? (uintptr_t)idmap_get(&holds->by_pid, pid, 0) : 0;

	return number ? &holds->list[number - 1] : NULL;
}

int holds_take(struct holds *holds, const struct replay_stack *waiter, const struct replay_stack *holder, uint64_t lock,
               uint64_t now)
{
	struct hold *hold = hold_of(holds, waiter->pid);

	if (!waiter->pid || !holder->pid)
		return 0;
	if (!hold) {
		if (grow_array((void **)&holds->list, holds->n, &holds->cap, sizeof(*holds->list)) ||
		    idmap_put(&holds->by_pid, waiter->pid, 0, (void *)(uintptr_t)(holds->n + 1)))
			return -ENOMEM;
		hold = &holds->list[holds->n++];
	}
	*hold = (struct hold){lock, now, holder->pid, holder->task, true};
	return 0;
}

int holds_woke(struct holds *holds, const struct replay_stack *woken, uint64_t now)
{
	struct hold *hold = hold_of(holds, woken->pid);

	if (!hold || !hold->waits)
		return 0;
	hold->waits = false;
	return idmap_put(&holds->changed, hold->lock, 0, (void *)(uintptr_t)(now ? now : 1)) ? -ENOMEM : 0;
}

struct guest_owner holds_owner(const struct holds *holds, uint32_t pid)
{
	const struct hold *hold = hold_of(holds, pid);
	uint64_t changed = hold ? (uintptr_t)idmap_get(&holds->changed, hold->lock, 0) : 0;

	if (!hold || !hold->waits)
		return (struct guest_owner){0};
	return (struct guest_owner){
		.how = hold->owner == pid   ? GUEST_OWNER_ITSELF
	               : changed > hold->at ? GUEST_OWNER_THEN
	                                    : GUEST_OWNER_HAS,
		.pid = hold->owner,
		.task = hold->task,
	};
}

void holds_release(struct holds *holds)
{
	idmap_release(&holds->by_pid);
	idmap_release(&holds->changed);
	free(holds->list);
}
