/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The many small records of a guest, which are read in runs. */
#include "read.h"

/* How records are read: 1 to 3 have a column of numbers, 4 has none, 0 is not small. */
static const uint8_t kinds[256] = {
	[DATA_CALL] = 1,   [DATA_TAIL] = 2,     [DATA_IRQ_ENTER] = 3,
	[DATA_RETURN] = 4, [DATA_IRQ_EXIT] = 4, [DATA_UNWIND] = 4,
};

/*
 * Reads small records up to `max` of them, the next one that is not small, or one that is damaged. How many. Who calls
 * and who returns cannot be foretold, so nothing here branches on it.
 */
static uint32_t read_run(struct block *b, struct data_small *items, uint32_t max)
{
	static const uint8_t none[DATA_VARINT_SLACK] = {1};
	struct cursor *const columns[] = {NULL, &b->streams[DATA_STREAM(DATA_CALL, 0)],
	                                  &b->streams[DATA_STREAM(DATA_TAIL, 0)],
	                                  &b->streams[DATA_STREAM(DATA_IRQ_ENTER, 0)]};
	const uint8_t *at[5] = {NULL, columns[1]->p, columns[2]->p, columns[3]->p, none};
	const uint8_t *const end[5] = {NULL, columns[1]->end, columns[2]->end, columns[3]->end, none + sizeof(none)};
	struct cursor *times = &b->streams[DATA_STREAM_CLOCK + 1], *types = &b->streams[DATA_STREAM_TYPES];
	const uint8_t *type = types->p, *time = times->p, *next, *behind;
	uint64_t clock = b->clock[1], step, kind;
	uint32_t n = 0;

	for (max = max < b->left ? max : b->left; n < max && (kind = kinds[*type]) != 0; n++) {
		next = data_varint_get(time, &step);
		behind = data_varint_get(at[kind], &items[n].function);
		/* What is wrong is found again, and told, by who reads the record alone. */
		if (__builtin_expect(next > times->end || behind > end[kind], 0))
			break;
		time = next;
		at[kind] = kind == 4 ? none : behind;
		items[n].clock = clock += data_unzigzag(step);
		items[n].type = *type++;
	}
	types->p = type;
	times->p = time;
	for (unsigned i = 1; i < 4; i++)
		columns[i]->p = at[i];
	b->clock[1] = clock;
	b->left -= n;
	return n;
}

/* Reads the type and the clock of a record. False when there is none. */
static bool read_clock(struct block *b, struct data_small *item)
{
	struct cursor *types = &b->streams[DATA_STREAM_TYPES], *times;
	unsigned k = *types->p & DATA_SECOND_CLOCK ? 1 : 0;
	const uint8_t *next;
	uint64_t step;

	times = &b->streams[DATA_STREAM_CLOCK + k];
	next = data_varint_get(times->p, &step);
	if (next > times->end)
		return false;
	times->p = next;
	item->type = *types->p++;
	item->clock = b->clock[k] += data_unzigzag(step);
	item->function = 0;
	b->left--;
	return true;
}

void block_expand(struct block *b)
{
	struct data_small *items;
	uint32_t n = 0, rare = 0;
	bool more = true;

	b->items.len = b->rare.len = 0;
	if (!b->streams[DATA_STREAM(DATA_CALL, 0)].start || buf_reserve(&b->items, b->left * sizeof(*items)))
		return;
	items = (struct data_small *)(void *)b->items.data;
	while (more) {
		n += read_run(b, items + n, b->left);
		more = b->left && !kinds[*b->streams[DATA_STREAM_TYPES].p] && buf_append(&b->rare, &n, sizeof(n)) == 0;
		if (more && (more = read_clock(b, items + n))) {
			n++;
			rare++;
		}
	}
	/* Behind the last one, unless it is there for a record that was not read. */
	b->n_items = n;
	b->n_rare = rare;
}

/* Those of the items that were made before. */
static size_t small_items(struct data_reader *r, const struct data_small **items)
{
	const uint32_t *rare = (const uint32_t *)(const void *)r->now.rare.data;
	uint32_t at = r->item;

	while (r->next_rare < r->now.n_rare && rare[r->next_rare] < at)
		r->next_rare++;
	r->item = r->next_rare < r->now.n_rare ? rare[r->next_rare] : r->now.n_items;
	*items = (const struct data_small *)(const void *)r->now.items.data + at;
	return r->item - at;
}

size_t data_reader_small(struct data_reader *r, const struct data_small **items)
{
	if (r->calls.at < r->calls.n) /* those come first */
		return 0;
	if (r->item < r->now.n_items)
		return small_items(r, items);
	*items = r->small;
	return read_run(&r->now, r->small, SMALL);
}
