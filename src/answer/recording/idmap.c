/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/recording/idmap.h>

#include <errno.h>
#include <stdlib.h>

static struct idmap_slot *slot_of(const struct idmap *map, uint64_t id, uint64_t sub)
{
	size_t at = idmap_start(map, id, sub);

	while (map->slots[at].value && (map->slots[at].id != id || map->slots[at].sub != sub))
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
			*slot_of(&larger, map->slots[i].id, map->slots[i].sub) = map->slots[i];
	free(map->slots);
	*map = larger;
	return 0;
}

int idmap_put(struct idmap *map, uint64_t id, uint64_t sub, void *value)
{
	struct idmap_slot *slot;

	if (map->n * 2 >= map->cap && grow(map))
		return -ENOMEM;
	slot = slot_of(map, id, sub);
	map->n += !slot->value;
	*slot = (struct idmap_slot){id, sub, value};
	return 0;
}

void idmap_release(struct idmap *map)
{
	free(map->slots);
	*map = IDMAP_INIT;
}
