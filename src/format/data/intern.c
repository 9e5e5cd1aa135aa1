/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/format/data/intern.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct intern_entry {
	uint64_t hash;
	uint64_t id;
	size_t n;
	unsigned char bytes[];
};

static uint64_t mix(uint64_t hash)
{
	hash *= 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 32;
}

/* Eight bytes at a time: a stack is many of them. */
static uint64_t hash_of(const unsigned char *p, size_t n)
{
	uint64_t hash = mix(n + 1), word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = mix(hash ^ word);
	}
	word = 0;
	if (n)
		memcpy(&word, p, n);
	return mix(hash ^ word);
}

/* The slot of these bytes, or the free one where they belong. */
static struct intern_entry **find_slot(const struct intern *table, uint64_t hash, const void *bytes, size_t n)
{
	size_t at = (size_t)hash & (table->cap - 1);

	for (;; at = (at + 1) & (table->cap - 1)) {
		const struct intern_entry *entry = table->slots[at];

		if (!entry || (entry->hash == hash && entry->n == n && (!n || memcmp(entry->bytes, bytes, n) == 0)))
			return &table->slots[at];
	}
}

/* Keeps at least half of the table free. 0 or -ENOMEM. */
static int grow(struct intern *table)
{
	struct intern larger = {.cap = table->cap ? table->cap * 2 : 64};

	if (table->n * 2 < table->cap)
		return 0;
	larger.slots = calloc(larger.cap, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->cap; i++) {
		struct intern_entry *entry = table->slots[i];

		if (entry)
			*find_slot(&larger, entry->hash, entry->bytes, entry->n) = entry;
	}
	free(table->slots);
	table->slots = larger.slots;
	table->cap = larger.cap;
	return 0;
}

int intern(struct intern *table, const void *bytes, size_t n, uint64_t *id, bool *fresh)
{
	uint64_t hash = hash_of(bytes, n);
	struct intern_entry **slot, *entry;

	if (grow(table))
		return -ENOMEM;
	slot = find_slot(table, hash, bytes, n);
	*fresh = !*slot;
	if (*slot) {
		*id = (*slot)->id;
		return 0;
	}
	entry = malloc(sizeof(*entry) + n);
	if (!entry)
		return -ENOMEM;
	*entry = (struct intern_entry){.hash = hash, .id = ++table->n, .n = n};
	if (n)
		memcpy(entry->bytes, bytes, n);
	table->bytes += sizeof(*entry) + n;
	*slot = entry;
	*id = entry->id;
	return 0;
}

void intern_release(struct intern *table)
{
	for (size_t i = 0; i < table->cap; i++)
		free(table->slots[i]);
	free(table->slots);
	*table = INTERN_INIT;
}
