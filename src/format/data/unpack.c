/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of a file: found, checked, unpacked. Nothing here knows what records are. */
#include "read.h"
#include "wire.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>

/* What is wrong with a header that is there as a whole; NULL when nothing is. */
static const char *check_header(const struct blocks *from, const uint8_t *p)
{
	uint32_t length = wire_get32(p + WIRE_BLOCK_LENGTH);
	uint32_t table = wire_get16(p + WIRE_BLOCK_STREAMS) * DATA_STREAM_ENTRY;

	if (wire_get32(p + WIRE_BLOCK_MAGIC) != DATA_BLOCK_MAGIC ||
	    wire_get32(p + WIRE_BLOCK_CRC) !=
	            crc_of(&from->crc, p + WIRE_BLOCK_BODY_CRC, DATA_BLOCK_HEADER - WIRE_BLOCK_BODY_CRC))
		return "its header is damaged";
	if (from->last)
		return "it comes after the last one";
	if (wire_get32(p + WIRE_BLOCK_NUMBER) != from->number)
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
static bool wanted(const struct blocks *from, unsigned stream)
{
	return stream < DATA_STREAMS && (!from->loading || record_schema_is_dictionary(stream / 16));
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
static const char *unpack(ZSTD_DCtx *zstd, const uint8_t *row, const uint8_t *from, uint8_t *to)
{
	uint32_t packed = wire_get32(row + WIRE_STREAM_PACKED), n = wire_get32(row + WIRE_STREAM_UNPACKED);

	switch (row[WIRE_STREAM_CODEC]) {
	case DATA_RAW:
		if (packed != n)
			return "the lengths of a stream differ";
		memcpy(to, from, n);
		break;
	case DATA_ZSTD:
		if (ZSTD_decompressDCtx(zstd, to, n, from, packed) != n)
			return "a stream cannot be decompressed";
		break;
	default:
		return "a stream is packed in a way that is not known";
	}
	memset(to + n, 0, READ_SLACK);
	return NULL;
}

/* Stands for a stream that a block does not have. */
static const uint8_t nothing[READ_SLACK];

/* Unpacks all streams of types that may be known. What is wrong, or NULL. */
static const char *unpack_all(const struct blocks *blocks, const uint8_t *p, struct block *b)
{
	unsigned n = wire_get16(p + WIRE_BLOCK_STREAMS);
	const uint8_t *row = p + DATA_BLOCK_HEADER, *from = row + (size_t)n * DATA_STREAM_ENTRY;
	uint8_t *to = (uint8_t *)b->unpacked.data;

	for (unsigned i = 0; i < DATA_STREAMS; i++)
		b->streams[i] = (struct cursor){nothing, nothing, NULL};
	for (unsigned i = 0; i < n; i++, row += DATA_STREAM_ENTRY) {
		unsigned stream = wire_get16(row + WIRE_STREAM_ID);

		if (wanted(blocks, stream)) {
			uint32_t length = wire_get32(row + WIRE_STREAM_UNPACKED);
			const char *what = unpack(blocks->zstd, row, from, to);

			if (what)
				return what;
			b->streams[stream] = (struct cursor){to, to + length, to};
			to += length + READ_SLACK;
		}
		from += wire_get32(row + WIRE_STREAM_PACKED);
	}
	return NULL;
}

/* What the header says. */
static void describe(const struct blocks *from, const uint8_t *p, struct block *b)
{
	b->facts.number = (uint32_t)from->number;
	b->facts.records = wire_get32(p + WIRE_BLOCK_RECORDS);
	b->facts.offset = from->offset;
	b->facts.size = wire_get32(p + WIRE_BLOCK_LENGTH);
	for (int i = 0; i < DATA_CLOCKS; i++) {
		b->facts.first[i] = b->clock[i] = wire_get64(p + WIRE_BLOCK_FIRST + 8 * i);
		b->facts.last[i] = wire_get64(p + WIRE_BLOCK_LAST + 8 * i);
	}
	b->last = wire_get16(p + WIRE_BLOCK_FLAGS) & DATA_BLOCK_LAST;
	b->left = b->facts.records;
	b->n_items = 0;
}

/* At a place where no whole block is. */
static int at_end(const struct blocks *from, struct block *b, long got)
{
	b->cut = got || !from->last;
	return 0;
}

static int is_bad(struct block *b, const char *what)
{
	b->what = what;
	return -EBADMSG;
}

/* A block whose header is good and that is there as a whole. As blocks_next. */
static int take_block(const struct blocks *from, const uint8_t *p, struct block *b)
{
	uint32_t length = wire_get32(p + WIRE_BLOCK_LENGTH), body = wire_get32(p + WIRE_BLOCK_BODY_CRC);
	const struct cursor *types = &b->streams[DATA_STREAM_TYPES];
	const char *what = NULL;
	unsigned n = wire_get16(p + WIRE_BLOCK_STREAMS);

	if (crc_of(&from->crc, p + DATA_BLOCK_HEADER, length - DATA_BLOCK_HEADER) != body)
		what = "its checksum is wrong";
	if (!what)
		what = check_table(p, length);
	if (what)
		return is_bad(b, what);
	b->unpacked.len = 0;
	if (buf_reserve(&b->unpacked, wire_get32(p + WIRE_BLOCK_UNPACKED) + (size_t)n * READ_SLACK))
		return -ENOMEM;
	what = unpack_all(from, p, b);
	if (what)
		return is_bad(b, what);
	describe(from, p, b);
	if (!from->loading && types->end - types->p != (ptrdiff_t)b->left)
		return is_bad(b, "the number of its records is wrong");
	return 1;
}

int blocks_next(struct blocks *from, struct block *b)
{
	const uint8_t *p;
	uint32_t length;
	long got = read_bytes(from, from->offset, DATA_BLOCK_HEADER, &from->packed, &p);
	int rc;

	if (got < 0)
		return (int)got;
	if (got < DATA_BLOCK_HEADER)
		return at_end(from, b, got);
	b->what = check_header(from, p);
	if (b->what)
		return -EBADMSG;
	length = wire_get32(p + WIRE_BLOCK_LENGTH);
	got = read_bytes(from, from->offset, length, &from->packed, &p);
	if (got < 0)
		return (int)got;
	if (got < (long)length)
		return at_end(from, b, got);
	/* The file may have changed in between. */
	if (check_header(from, p) || wire_get32(p + WIRE_BLOCK_LENGTH) != length)
		return is_bad(b, "it changes while it is read");
	rc = take_block(from, p, b);
	if (rc == 1) {
		from->offset += length;
		from->number++;
		from->last = b->last;
	}
	return rc;
}

void blocks_release(struct blocks *from)
{
	fd_close(&from->fd);
	ZSTD_freeDCtx(from->zstd);
	buf_release(&from->packed);
}

void block_release(struct block *b)
{
	buf_release(&b->unpacked);
	buf_release(&b->items);
	buf_release(&b->rare);
}
