/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "delay_shares.h"

#include <exectrace/base/grow.h>
#include <stdlib.h>

uint64_t delay_shares_add(struct delay_shares *s, uint64_t id, uint64_t sub, uint64_t time)
{
	uintptr_t number = (uintptr_t)idmap_get(&s->by_id, id, sub);

	if (!number) {
		if (grow_array((void **)&s->list, s->n, &s->cap, sizeof(*s->list)))
			return 0;
		s->list[s->n] = (struct delay_share){id, sub, 0};
		number = ++s->n;
		if (idmap_put(&s->by_id, id, sub, (char *)number))
			return 0;
	}
	return s->list[number - 1].time += time;
}

uint64_t delay_shares_of(const struct delay_shares *s, uint64_t id, uint64_t sub)
{
	uintptr_t number = (uintptr_t)idmap_get(&s->by_id, id, sub);

	return number ? s->list[number - 1].time : 0;
}

void delay_shares_release(struct delay_shares *s)
{
	idmap_release(&s->by_id);
	free(s->list);
}
