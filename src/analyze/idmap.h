/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table from numbers to pointers. */
#ifndef EXECTRACE_SRC_ANALYZE_IDMAP_H
#define EXECTRACE_SRC_ANALYZE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct idmap_slot {
	uint64_t id;
	void *value; /* NULL: free */
};

struct idmap {
	struct idmap_slot *slots; /* open addressing */
	size_t n, cap;
};

#define IDMAP_INIT ((struct idmap){0})

/* What was put under this number, or NULL. */
static inline void *idmap_get(const struct idmap *map, uint64_t id)
{
	size_t at = (size_t)((id * 0x9e3779b97f4a7c15ull) >> 20);

	if (!map->cap)
		return NULL;
	for (at &= map->cap - 1; map->slots[at].value; at = (at + 1) & (map->cap - 1))
		if (map->slots[at].id == id)
			return map->slots[at].value;
	return NULL;
}

/* Puts a value, not NULL, in the place of one that may be there. 0 or -ENOMEM. */
int idmap_put(struct idmap *map, uint64_t id, void *value);

/* Frees the table, not what its values point to. */
void idmap_release(struct idmap *map);

#endif
