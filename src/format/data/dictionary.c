/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dictionary.h"

#include <errno.h>
#include <exectrace/format/data/varint.h>
#include <stdlib.h>
#include <string.h>

/* What an event of a dictionary's type defines or adds to. MAP and UNMAP add to their set. */
static uint64_t id_of(const struct data_event *event, uint8_t *type)
{
	*type = event->type;
	switch (event->type) {
	case DATA_FILE:
		return event->file.id;
	case DATA_STACK:
		return event->stack.id;
	case DATA_SYMBOLS:
		return event->symbols.file;
	case DATA_FUNCTION:
		return event->function.id;
	case DATA_MAPSET:
		return event->mapset.id;
	default: /* DATA_MAP, DATA_UNMAP */
		*type = DATA_MAP;
		return event->map.set;
	}
}

static size_t slot_of(const struct dictionary *d, unsigned type, uint64_t id)
{
	uint64_t mix = (id ^ (uint64_t)type << 56) * 0x9e3779b97f4a7c15ull;

	return (size_t)(mix ^ mix >> 29) & (d->cap - 1);
}

/* The slot that holds this, or the free one where it belongs. There is always a free one. */
static struct entry **find_slot(const struct dictionary *d, unsigned type, uint64_t id)
{
	size_t at = slot_of(d, type, id);

	while (d->slots[at] && (d->slots[at]->list != type || d->slots[at]->id != id))
		at = (at + 1) & (d->cap - 1);
	return &d->slots[at];
}

static int grow(struct dictionary *d)
{
	struct dictionary larger = {.cap = d->cap ? d->cap * 2 : 256};

	if (d->n * 2 < d->cap)
		return 0;
	larger.slots = calloc(larger.cap, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < d->cap; i++)
		if (d->slots[i])
			*find_slot(&larger, d->slots[i]->list, d->slots[i]->id) = d->slots[i];
	free(d->slots);
	d->slots = larger.slots;
	d->cap = larger.cap;
	return 0;
}

static bool is_list(unsigned type)
{
	return type == DATA_MAP || type == DATA_SYMBOLS;
}

static struct entry *new_entry(const struct data_event *event, const uint8_t *payload, size_t n)
{
	struct entry *entry = calloc(1, sizeof(*entry) + n + DATA_VARINT_SLACK);

	if (!entry)
		return NULL;
	entry->id = id_of(event, &entry->list);
	entry->type = event->type;
	entry->n = (uint32_t)n;
	memcpy(entry->payload, payload, n);
	return entry;
}

int dictionary_add(struct dictionary *d, const struct data_event *event, const uint8_t *payload, size_t n)
{
	uint64_t size = sizeof(struct entry) + n + DATA_VARINT_SLACK + 4 * sizeof(void *);
	struct entry *entry, **slot;
	uint8_t list;
	uint64_t id = id_of(event, &list);

	if (d->bytes + size > DATA_DICTIONARY_MAX || n > UINT32_MAX)
		return -EFBIG;
	if (grow(d))
		return -ENOMEM;
	slot = find_slot(d, list, id);
	if (*slot && !is_list(list))
		return 0;
	entry = new_entry(event, payload, n);
	if (!entry)
		return -ENOMEM;
	d->bytes += size;
	if (*slot) {
		(*slot)->tail->next = entry;
		(*slot)->tail = entry;
		return 0;
	}
	entry->tail = entry;
	*slot = entry;
	d->n++;
	return 0;
}

struct entry *dictionary_find(const struct dictionary *d, unsigned type, uint64_t id)
{
	return d->cap ? *find_slot(d, type, id) : NULL;
}

static void free_list(struct entry *entry)
{
	while (entry) {
		struct entry *next = entry->next;

		free(entry->items);
		free(entry);
		entry = next;
	}
}

void dictionary_release(struct dictionary *d)
{
	for (size_t i = 0; i < d->cap; i++)
		free_list(d->slots[i]);
	free(d->slots);
	record_schema_scratch_release(&d->scratch);
	record_schema_scratch_release(&d->making);
	*d = (struct dictionary){0};
}
