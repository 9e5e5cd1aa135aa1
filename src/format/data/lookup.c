/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asked of the dictionaries. */
#include <exectrace/base/bound.h>
#include <exectrace/format/data/dictionary.h>

#include "read.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>

#define MAPS_MAX (1u << 18) /* in one set */

/*
 * Steps of making all sets, each of some ns: a small file can have so many sets, one based on the other, that it would
 * take days. Where all sets that fit into memory are asked for in their order it is a hundredth of this.
 */
#define WORK_MAX (1ull << 31)
#define WORK_LINK 256 /* steps: a set of a chain is looked for, which is likely not in the cache */

/* Decodes one definition. 0, -ENOENT, -ENOMEM. */
static int define(struct data_reader *r, unsigned type, uint64_t id, struct data_event *event)
{
	const struct entry *entry = dictionary_find(&r->dictionary, type, id);

	if (!entry)
		return -ENOENT;
	event->type = entry->type;
	return record_schema_decode(&r->dictionary.scratch, entry->payload, entry->n, event);
}

int data_reader_file(struct data_reader *r, uint64_t id, struct data_file *file)
{
	struct data_event event;
	int rc = define(r, DATA_FILE, id, &event);

	if (!rc)
		*file = event.file;
	return rc;
}

int data_reader_stack(struct data_reader *r, uint64_t id, struct data_stack *stack)
{
	struct data_event event;
	int rc = define(r, DATA_STACK, id, &event);

	if (!rc)
		*stack = event.stack;
	return rc;
}

int data_reader_function(struct data_reader *r, uint64_t id, struct data_function *function)
{
	struct data_event event;
	int rc = define(r, DATA_FUNCTION, id, &event);

	if (!rc)
		*function = event.function;
	return rc;
}

/* --- Maps ----------------------------------------------------------------------------------------------------------
 */

/* Maps in order, none overlapping. */
struct lookup_maps {
	struct data_map *items;
	size_t n, cap;
	uint64_t moved;
};

/* Makes room for one more at a place. 0, -ENOMEM, -EBADMSG. */
static int insert(struct lookup_maps *maps, size_t at, const struct data_map *map)
{
	if (maps->n >= MAPS_MAX)
		return -EBADMSG;
	if (grow_array((void **)&maps->items, maps->n, &maps->cap, sizeof(*maps->items)))
		return -ENOMEM;
	memmove(maps->items + at + 1, maps->items + at, (maps->n - at) * sizeof(*map));
	maps->moved += maps->n - at;
	maps->items[at] = *map;
	maps->n++;
	return 0;
}

/* The index of the first map that ends behind an address. */
static size_t first_behind(const struct data_map *items, size_t n, uint64_t address)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (items[middle].end <= address)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* What is left of a map behind an address. */
static struct data_map behind(const struct data_map *map, uint64_t address)
{
	struct data_map rest = *map;

	rest.offset += address - rest.start;
	rest.start = address;
	return rest;
}

/* Takes [start, end) out; *at is where a map of this range belongs. 0, -ENOMEM, -EBADMSG. */
static int cut(struct lookup_maps *maps, uint64_t start, uint64_t end, size_t *at)
{
	size_t i = first_behind(maps->items, maps->n, start), j;

	if (i < maps->n && maps->items[i].start < start) {
		struct data_map whole = maps->items[i];

		maps->items[i++].end = start;
		if (whole.end > end) {
			struct data_map rest = behind(&whole, end);

			*at = i;
			return insert(maps, i, &rest);
		}
	}
	for (j = i; j < maps->n && maps->items[j].end <= end;)
		j++;
	if (j < maps->n && maps->items[j].start < end)
		maps->items[j] = behind(&maps->items[j], end);
	if (j > i) {
		memmove(maps->items + i, maps->items + j, (maps->n - j) * sizeof(*maps->items));
		maps->moved += maps->n - j;
	}
	maps->n -= j - i;
	*at = i;
	return 0;
}

/* Counts what was done. 0, -EBADMSG when it has become too much. */
static int spend(struct data_reader *r, uint64_t *steps)
{
	r->dictionary.work += *steps;
	*steps = 0;
	return r->dictionary.work > WORK_MAX ? -EBADMSG : 0;
}

/* Does what the records of one set say. 0, -ENOMEM, -EBADMSG. */
static int apply(struct data_reader *r, struct lookup_maps *maps, uint64_t set)
{
	struct data_event event;
	int rc = 0;

	for (const struct entry *entry = dictionary_find(&r->dictionary, DATA_MAP, set); entry && !rc;
	     entry = entry->next) {
		size_t at = 0;

		event.type = entry->type;
		maps->moved++;
		rc = record_schema_decode(&r->dictionary.making, entry->payload, entry->n, &event);
		if (rc || event.map.start == event.map.end)
			continue;
		rc = cut(maps, event.map.start, event.map.end, &at);
		if (!rc && event.type == DATA_MAP)
			rc = insert(maps, at, &event.map);
		if (!rc)
			rc = spend(r, &maps->moved);
	}
	return rc;
}

static const struct entry *tail_of(const struct data_reader *r, uint64_t set)
{
	const struct entry *first = dictionary_find(&r->dictionary, DATA_MAP, set);

	return first ? first->tail : NULL;
}

/* Adds the ids of a set and of its bases to `chain` (uint64_t), up to one whose maps are made; *made is that one. */
static int chain_of(struct data_reader *r, uint64_t set, struct buf *chain, const struct entry **made)
{
	*made = NULL;
	while (set) {
		const struct entry *entry = dictionary_find(&r->dictionary, DATA_MAPSET, set);
		struct data_event event;
		int rc;

		uint64_t steps = WORK_LINK;

		if (entry && entry->made && entry->seen == tail_of(r, set)) {
			*made = entry;
			return 0;
		}
		if (spend(r, &steps))
			return -EBADMSG;
		rc = define(r, DATA_MAPSET, set, &event);
		/* A base that is not there, in a file whose beginning is lost, is empty. */
		if (rc == -ENOENT && chain->len)
			return 0;
		if (!rc)
			rc = buf_append(chain, &set, sizeof(set));
		if (rc)
			return rc;
		set = event.mapset.base;
	}
	return 0;
}

/* Makes the maps of the last one of a chain, from a copy of those of `made` (NULL: none). */
static int make_maps(struct data_reader *r, const struct buf *chain, const struct entry *made, struct lookup_maps *maps)
{
	int rc = 0;

	if (made && made->n_items) {
		maps->items = malloc(made->n_items * sizeof(*maps->items));
		if (!maps->items)
			return -ENOMEM;
		memcpy(maps->items, made->items, made->n_items * sizeof(*maps->items));
		maps->n = maps->cap = made->n_items;
		maps->moved = made->n_items;
		rc = spend(r, &maps->moved);
	}
	for (size_t i = chain->len / sizeof(uint64_t); i && !rc; i--) {
		uint64_t set;

		memcpy(&set, chain->data + (i - 1) * sizeof(set), sizeof(set));
		rc = apply(r, maps, set);
	}
	return rc;
}

/* Keeps what was made. 0, -EBADMSG when the reader holds too much already. */
static int keep(struct data_reader *r, struct entry *entry, void *items, size_t n, size_t size)
{
	if (r->dictionary.bytes + n * size > DATA_DICTIONARY_MAX)
		return -EBADMSG;
	r->dictionary.bytes += n * size;
	r->dictionary.bytes -= entry->n_items * size;
	free(entry->items);
	entry->items = items;
	entry->n_items = n;
	return 0;
}

int data_reader_maps(struct data_reader *r, uint64_t set, const struct data_map **items, size_t *n)
{
	struct entry *entry = dictionary_find(&r->dictionary, DATA_MAPSET, set);
	struct buf chain = BUF_INIT;
	struct lookup_maps maps = {0};
	const struct entry *made;
	int rc = entry ? chain_of(r, set, &chain, &made) : -ENOENT;

	if (!rc && made != entry) {
		rc = make_maps(r, &chain, made, &maps);
		if (!rc)
			rc = keep(r, entry, maps.items, maps.n, sizeof(*maps.items));
		if (rc)
			free(maps.items);
		else
			entry->seen = tail_of(r, set), entry->made = true;
	}
	buf_release(&chain);
	if (rc)
		return rc;
	*items = entry->items;
	*n = entry->n_items;
	return 0;
}

int data_reader_map_at(struct data_reader *r, uint64_t set, uint64_t address, struct data_map *map)
{
	const struct data_map *items;
	size_t n, at;
	int rc = data_reader_maps(r, set, &items, &n);

	if (rc)
		return rc;
	at = first_behind(items, n, address);
	if (at == n || items[at].start > address)
		return -ENOENT;
	*map = items[at];
	return 0;
}

/* --- Symbols -------------------------------------------------------------------------------------------------------
 */

static int by_address(const void *a, const void *b)
{
	const struct data_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

/* All symbols of a list, in order. The names are in the entries. 0, -ENOMEM, -EBADMSG. */
static int make_symbols(struct data_reader *r, struct entry *first)
{
	struct buf all = BUF_INIT;
	struct data_event event;
	int rc = 0;

	for (const struct entry *entry = first; entry && !rc; entry = entry->next) {
		event.type = DATA_SYMBOLS;
		rc = record_schema_decode(&r->dictionary.making, entry->payload, entry->n, &event);
		if (!rc)
			rc = buf_append(&all, event.symbols.items, event.symbols.n * sizeof(struct data_symbol));
	}
	if (!rc && all.len)
		qsort(all.data, all.len / sizeof(struct data_symbol), sizeof(struct data_symbol), by_address);
	if (!rc)
		rc = keep(r, first, all.data, all.len / sizeof(struct data_symbol), sizeof(struct data_symbol));
	if (rc)
		buf_release(&all);
	else
		first->seen = first->tail;
	return rc;
}

int data_reader_symbol(struct data_reader *r, uint64_t file, uint64_t address, struct data_symbol *symbol)
{
	struct entry *first = dictionary_find(&r->dictionary, DATA_SYMBOLS, file);
	const struct data_symbol *items;
	size_t before;
	int rc = first ? 0 : -ENOENT;

	if (!rc && first->seen != first->tail)
		rc = make_symbols(r, first);
	if (rc)
		return rc;
	items = first->items;
	before = BOUND_ABOVE(items, first->n_items, address, address);
	if (!before || (items[before - 1].size && address - items[before - 1].address >= items[before - 1].size))
		return -ENOENT;
	*symbol = items[before - 1];
	return 0;
}
