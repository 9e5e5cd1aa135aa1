/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of a file: found, checked, unpacked. */
#include "read.h"
#include "wire.h"

#include <errno.h>

int read_bad(struct data_reader *r, const char *what, struct buf *why)
{
	int rc = buf_printf(why, "%s: block %llu: %s", r->name, (unsigned long long)r->number, what);

	r->error = rc ? rc : -EBADMSG;
	r->left = 0;
	r->end = DATA_END_OPEN;
	return r->error;
}

/* What is wrong with a header that is there as a whole; NULL when nothing is. */
static const char *check_header(const struct data_reader *r, const uint8_t *p)
{
	uint32_t length = wire_get32(p + WIRE_BLOCK_LENGTH);
	uint32_t table = wire_get16(p + WIRE_BLOCK_STREAMS) * DATA_STREAM_ENTRY;

	if (wire_get32(p + WIRE_BLOCK_MAGIC) != DATA_BLOCK_MAGIC ||
	    wire_get32(p + WIRE_BLOCK_CRC) !=
	            crc_of(&r->crc, p + WIRE_BLOCK_BODY_CRC, DATA_BLOCK_HEADER - WIRE_BLOCK_BODY_CRC))
		return "its header is damaged";
	if (r->last)
		return "it comes after the last one";
	if (wire_get32(p + WIRE_BLOCK_NUMBER) != r->number)
		return "its number is another";
	if (length > 2 * DATA_BLOCK_MAX || length < DATA_BLOCK_HEADER + table)
		return "its length is not possible";
	if (wire_get16(p + WIRE_BLOCK_STREAMS) > DATA_STREAMS_MAX)
		return "it has too many streams";
	if (wire_get32(p + WIRE_BLOCK_RECORDS) > DATA_RECORDS_MAX)
		return "it has too many records";
	if (wire_get32(p + WIRE_BLOCK_UNPACKED) > DATA_BLOCK_MAX)
		return "it is too large";
	return NULL;
}

/* Streams of types that no reader knows are left packed, and so are those that are not asked for. */
static bool wanted(const struct data_reader *r, unsigned stream)
{
	return stream < DATA_STREAMS && (!r->loading || shape_is_dictionary(stream / 16));
}

/* Checks the table of streams and adds up their lengths. What is wrong, or NULL. */
static const char *check_table(const uint8_t *p, uint32_t length)
{
	const uint8_t *row = p + DATA_BLOCK_HEADER;
	unsigned n = wire_get16(p + WIRE_BLOCK_STREAMS);
	uint64_t packed = DATA_BLOCK_HEADER + (uint64_t)n * DATA_STREAM_ENTRY, unpacked = 0;
	int before = -1;

	for (unsigned i = 0; i < n; i++, row += DATA_STREAM_ENTRY) {
		int stream = wire_get16(row + WIRE_STREAM_ID);

		if (stream <= before)
			return "its streams are not in order";
		before = stream;
		packed += wire_get32(row + WIRE_STREAM_PACKED);
		unpacked += wire_get32(row + WIRE_STREAM_UNPACKED);
	}
	if (packed != length || unpacked != wire_get32(p + WIRE_BLOCK_UNPACKED))
		return "its streams do not add up";
	return NULL;
}

/* Unpacks one stream to `to`, which has room. What is wrong, or NULL. */
static const char *unpack(struct data_reader *r, const uint8_t *row, const uint8_t *from, uint8_t *to)
{
	uint32_t packed = wire_get32(row + WIRE_STREAM_PACKED), n = wire_get32(row + WIRE_STREAM_UNPACKED);

	switch (row[WIRE_STREAM_CODEC]) {
	case DATA_RAW:
		if (packed != n)
			return "the lengths of a stream differ";
		memcpy(to, from, n);
		break;
	case DATA_ZSTD:
		if (ZSTD_decompressDCtx(r->zstd, to, n, from, packed) != n)
			return "a stream cannot be decompressed";
		break;
	default:
		return "a stream is packed in a way that is not known";
	}
	memset(to + n, 0, DATA_VARINT_SLACK);
	return NULL;
}

/* Stands for a stream that a block does not have. */
static const uint8_t nothing[DATA_VARINT_SLACK];

/* Unpacks all streams of types that may be known. What is wrong, or NULL. */
static const char *unpack_all(struct data_reader *r, const uint8_t *p)
{
	unsigned n = wire_get16(p + WIRE_BLOCK_STREAMS);
	const uint8_t *row = p + DATA_BLOCK_HEADER, *from = row + (size_t)n * DATA_STREAM_ENTRY;
	uint8_t *to = (uint8_t *)r->unpacked.data;

	for (unsigned i = 0; i < DATA_STREAMS; i++)
		r->streams[i] = (struct cursor){nothing, nothing, NULL};
	for (unsigned i = 0; i < n; i++, row += DATA_STREAM_ENTRY) {
		unsigned stream = wire_get16(row + WIRE_STREAM_ID);

		if (wanted(r, stream)) {
			uint32_t length = wire_get32(row + WIRE_STREAM_UNPACKED);
			const char *what = unpack(r, row, from, to);

			if (what)
				return what;
			r->streams[stream] = (struct cursor){to, to + length, to};
			to += length + DATA_VARINT_SLACK;
		}
		from += wire_get32(row + WIRE_STREAM_PACKED);
	}
	return NULL;
}

static void set_block(struct data_reader *r, const uint8_t *p)
{
	r->block.number = (uint32_t)r->number;
	r->block.records = wire_get32(p + WIRE_BLOCK_RECORDS);
	r->block.offset = r->offset;
	r->block.size = wire_get32(p + WIRE_BLOCK_LENGTH);
	for (int i = 0; i < DATA_CLOCKS; i++) {
		r->block.first[i] = r->clock[i] = wire_get64(p + WIRE_BLOCK_FIRST + 8 * i);
		r->block.last[i] = wire_get64(p + WIRE_BLOCK_LAST + 8 * i);
	}
	r->left = r->block.records;
	r->n_heads = 0;
}

/* Adds what the block defines to the dictionary. 0, -EBADMSG with a line, -ENOMEM. */
static int load_dictionaries(struct data_reader *r, struct buf *why)
{
	if (r->offset < r->loaded)
		return 0;
	for (unsigned type = 0; type < DATA_TYPES; type++) {
		struct data_event event = {.type = (uint8_t)type};
		struct cursor c = r->streams[DATA_STREAM(type, 0)];
		const uint8_t *p;
		size_t n;
		int rc = 0;

		if (!shape_is_dictionary(type))
			continue;
		while (!rc && read_entry(&c, &p, &n)) {
			rc = shape_decode(&r->scratch, p, n, &event);
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

/* At a place where no whole block is. */
static int at_end(struct data_reader *r, long got)
{
	r->end = got || !r->last ? DATA_END_CUT : DATA_END_WHOLE;
	return 0;
}

static int take_block(struct data_reader *r, const uint8_t *p, struct buf *why)
{
	uint32_t length = wire_get32(p + WIRE_BLOCK_LENGTH), body = wire_get32(p + WIRE_BLOCK_BODY_CRC);
	const char *what = NULL;
	unsigned n = wire_get16(p + WIRE_BLOCK_STREAMS);

	if (crc_of(&r->crc, p + DATA_BLOCK_HEADER, length - DATA_BLOCK_HEADER) != body)
		what = "its checksum is wrong";
	if (!what)
		what = check_table(p, length);
	if (what)
		return read_bad(r, what, why);
	r->unpacked.len = 0;
	if (buf_reserve(&r->unpacked, wire_get32(p + WIRE_BLOCK_UNPACKED) + (size_t)n * DATA_VARINT_SLACK))
		return -ENOMEM;
	what = unpack_all(r, p);
	if (what)
		return read_bad(r, what, why);
	set_block(r, p);
	if (!r->loading && r->streams[DATA_STREAM_TYPES].end - r->streams[DATA_STREAM_TYPES].p != (ptrdiff_t)r->left)
		return read_bad(r, "the number of its records is wrong", why);
	return load_dictionaries(r, why);
}

int read_block(struct data_reader *r, struct buf *why)
{
	const uint8_t *p;
	const char *what;
	uint32_t length;
	long got;
	int rc;

	r->left = 0;
	if (r->error)
		return r->error;
	got = read_bytes(r, r->offset, DATA_BLOCK_HEADER, &r->packed, &p);
	if (got < 0)
		return (int)got;
	if (got < DATA_BLOCK_HEADER)
		return at_end(r, got);
	what = check_header(r, p);
	if (what)
		return read_bad(r, what, why);
	length = wire_get32(p + WIRE_BLOCK_LENGTH);
	got = read_bytes(r, r->offset, length, &r->packed, &p);
	if (got < 0)
		return (int)got;
	if (got < (long)length)
		return at_end(r, got);
	/* The file may have changed in between. */
	what = check_header(r, p);
	if (what || wire_get32(p + WIRE_BLOCK_LENGTH) != length)
		return read_bad(r, "it changes while it is read", why);
	rc = take_block(r, p, why);
	if (rc)
		return r->error = rc;
	r->offset += length;
	if (r->loaded < r->offset)
		r->loaded = r->offset;
	r->number++;
	r->last = wire_get16(p + WIRE_BLOCK_FLAGS) & DATA_BLOCK_LAST;
	r->end = DATA_END_OPEN;
	return 1;
}

void data_reader_seek(struct data_reader *r, const struct data_block *block)
{
	r->left = 0;
	r->offset = block->offset;
	r->number = block->number;
	r->last = false;
	r->end = DATA_END_OPEN;
}

int data_reader_load(struct data_reader *r, struct buf *why)
{
	uint64_t offset = r->offset, number = r->number;
	bool last = r->last;
	int rc = r->error;

	r->loading = true;
	while (!rc && (rc = read_block(r, why)) == 1)
		rc = 0;
	r->loading = false;
	r->left = 0;
	r->error = 0;
	r->offset = offset;
	r->number = number;
	r->last = last;
	r->end = DATA_END_OPEN;
	return rc;
}
