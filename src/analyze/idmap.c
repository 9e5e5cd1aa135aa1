/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "idmap.h"

#include <errno.h>
#include <stdlib.h>

static struct idmap_slot *slot_of(const struct idmap *map, uint64_t id)
{
	size_t at = (size_t)((id * 0x9e3779b97f4a7c15ull) >> 20) & (map->cap - 1);

	while (map->slots[at].value && map->slots[at].id != id)
		at = (at + 1) & (map->cap - 1);
	return &map->slots[at];
}

static int grow(struct idmap *map)
{
	struct idmap larger = {.n = map->n, .cap = map->cap ? map->cap * 2 : 64};

	larger.slots = calloc(larger.cap, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->cap; i++)
		if (map->slots[i].value)
			*slot_of(&larger, map->slots[i].id) = map->slots[i];
	free(map->slots);
	*map = larger;
	return 0;
}

int idmap_put(struct idmap *map, uint64_t id, void *value)
{
	struct idmap_slot *slot;

	if (map->n * 2 >= map->cap && grow(map))
		return -ENOMEM;
	slot = slot_of(map, id);
	map->n += !slot->value;
	*slot = (struct idmap_slot){id, value};
	return 0;
}

void idmap_release(struct idmap *map)
{
	free(map->slots);
	*map = IDMAP_INIT;
}
