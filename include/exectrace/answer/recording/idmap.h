/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table from pairs of numbers to pointers. */
#ifndef EXECTRACE_ANSWER_RECORDING_IDMAP_H
#define EXECTRACE_ANSWER_RECORDING_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct idmap_slot {
	uint64_t id, sub;
	void *value; /* NULL: free */
};

struct idmap {
	struct idmap_slot *slots; /* open addressing */
	size_t n, cap;
};

#define IDMAP_INIT ((struct idmap){0})

/* Where a pair is looked for first. */
static inline size_t idmap_start(const struct idmap *map, uint64_t id, uint64_t sub)
{
	uint64_t mix = id * 0x9e3779b97f4a7c15ull ^ sub * 0xc2b2ae3d27d4eb4full;

	mix = (mix ^ mix >> 32) * 0x9e3779b97f4a7c15ull;
	return (size_t)(mix >> 32) & (map->cap - 1);
}

/* What was put under this pair, or NULL. */
static inline void *idmap_get(const struct idmap *map, uint64_t id, uint64_t sub)
{
	if (!map->cap)
		return NULL;
	for (size_t at = idmap_start(map, id, sub); map->slots[at].value; at = (at + 1) & (map->cap - 1))
		if (map->slots[at].id == id && map->slots[at].sub == sub)
			return map->slots[at].value;
	return NULL;
}

/* Puts a value, not NULL, in the place of one that may be there. 0 or -ENOMEM. */
int idmap_put(struct idmap *map, uint64_t id, uint64_t sub, void *value);

/* Frees the table, not what its values point to. */
void idmap_release(struct idmap *map);

#endif
