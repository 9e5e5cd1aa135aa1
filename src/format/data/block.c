/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One block after the other, with what they define. */
#include "read.h"

#include <errno.h>

int read_bad(struct data_reader *r, const char *what, struct buf *why)
{
	int rc = buf_printf(why, "%s: block %llu: %s", r->name, (unsigned long long)r->number, what);

	r->error = rc ? rc : -EBADMSG;
	read_drop(r);
	r->end = DATA_END_OPEN;
	return r->error;
}

/* Adds what the block defines to the dictionary. 0, -EBADMSG with a line, -ENOMEM. */
static int load_dictionaries(struct data_reader *r, struct buf *why)
{
	if (r->offset < r->loaded)
		return 0;
	for (unsigned type = 0; type < DATA_TYPES; type++) {
		struct data_event event = {.type = (uint8_t)type};
		struct cursor c = r->now.streams[DATA_STREAM(type, 0)];
		const uint8_t *p;
		size_t n;
		int rc = 0;

		if (!record_schema_is_dictionary(type))
			continue;
		while (!rc && read_entry(&c, &p, &n)) {
			rc = record_schema_decode(&r->scratch, p, n, &event);
			if (!rc)
				rc = dictionary_add(&r->dictionary, &event, p, n);
		}
		if (rc == -ENOMEM)
			return rc;
		if (rc || c.p != c.end)
			return read_bad(r, rc == -EFBIG ? "it defines too much" : "a definition is damaged", why);
	}
	return 0;
}

/* Ends reading ahead: what was read in vain is forgotten. */
static void look_back(struct data_reader *r)
{
	readahead_end(r->ahead);
	r->ahead = NULL;
	r->may_ahead = false;
	r->blocks.offset = r->offset;
	r->blocks.number = r->number;
	r->blocks.last = r->last;
}

/* Another thread is not worth it for a single block. As blocks_next. */
static int next_block(struct data_reader *r)
{
	int rc;

	if (r->may_ahead && !r->ahead && r->number && readahead_start(&r->ahead, &r->blocks))
		r->may_ahead = false;
	rc = r->ahead ? readahead_next(r->ahead, &r->now) : blocks_next(&r->blocks, &r->now);
	if (rc != 1)
		look_back(r);
	return rc;
}

int read_block(struct data_reader *r, struct buf *why)
{
	int rc;

	read_drop(r);
	if (r->error)
		return r->error;
	rc = next_block(r);
	if (rc == 1) {
		r->item = r->next_rare = r->n_heads = 0;
		rc = load_dictionaries(r, why);
		rc = rc ? rc : 1;
	}
	if (rc == -EBADMSG && !r->error)
		return read_bad(r, r->now.what, why);
	if (!rc)
		r->end = r->now.cut ? DATA_END_CUT : DATA_END_WHOLE;
	if (rc == -ENOMEM)
		r->error = rc;
	if (rc != 1) {
		read_drop(r);
		return rc;
	}
	r->offset += r->now.facts.size;
	if (r->loaded < r->offset)
		r->loaded = r->offset;
	r->number++;
	r->last = r->now.last;
	r->end = DATA_END_OPEN;
	return 1;
}

static void go_to(struct data_reader *r, uint64_t offset, uint64_t number, bool last)
{
	read_drop(r);
	r->offset = offset;
	r->number = number;
	r->last = last;
	r->end = DATA_END_OPEN;
	look_back(r);
}

void data_reader_ahead(struct data_reader *r)
{
	r->may_ahead = true;
}

void data_reader_seek(struct data_reader *r, const struct data_block *block)
{
	go_to(r, block->offset, block->number, false);
}

int data_reader_load(struct data_reader *r, struct buf *why)
{
	uint64_t offset = r->offset, number = r->number;
	bool last = r->last;
	int rc = r->error;

	look_back(r);
	r->blocks.loading = true;
	while (!rc && (rc = read_block(r, why)) == 1)
		rc = 0;
	r->blocks.loading = false;
	r->error = 0;
	go_to(r, offset, number, last);
	return rc;
}
