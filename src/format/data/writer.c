/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "private.h"
#include "wire.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFAULT_RECORDS 65536
#define DEFAULT_BYTES (4u << 20)
#define MAX_BYTES (16u << 20)
#define SMALLEST_PACKED 64 /* shorter streams are not worth a look */
#define WORTH 4            /* one that becomes less than a fourth smaller is as well read as it is, which is quicker */

/* --- The header ----------------------------------------------------------------------------------------------------
 */

static void put_clock(uint8_t *p, const struct data_clock *clock)
{
	wire_put32(p + WIRE_CLOCK_KIND, clock->kind);
	wire_put64(p + WIRE_CLOCK_HZ, clock->hz);
	wire_put64(p + WIRE_CLOCK_START, clock->start);
	wire_put64(p + WIRE_CLOCK_REALTIME, clock->realtime);
}

static int put_text(struct buf *out, struct data_text text)
{
	uint8_t length[4];
	int rc;

	if (text.n > DATA_HEADER_MAX / 4)
		return -EINVAL;
	wire_put32(length, (uint32_t)text.n);
	rc = buf_append(out, length, sizeof(length));
	return rc ? rc : buf_append(out, text.bytes, text.n);
}

static int write_header(struct data_writer *w, const struct data_facts *facts)
{
	uint8_t fixed[DATA_HEADER_FIXED] = DATA_MAGIC, *p;
	int rc;

	wire_put16(fixed + WIRE_MAJOR, DATA_MAJOR);
	wire_put16(fixed + WIRE_MINOR, DATA_MINOR);
	wire_put32(fixed + WIRE_ARCH, facts->arch);
	wire_put32(fixed + WIRE_PAGE_SIZE, facts->page_size);
	wire_put32(fixed + WIRE_CPUS, facts->cpus);
	wire_put32(fixed + WIRE_PID, facts->pid);
	wire_put32(fixed + WIRE_TEXTS, DATA_HEADER_FIXED);
	for (int i = 0; i < DATA_CLOCKS; i++)
		put_clock(fixed + WIRE_CLOCKS + i * WIRE_CLOCK_SIZE, &facts->clocks[i]);
	if ((rc = buf_append(&w->out, fixed, sizeof(fixed))) || (rc = put_text(&w->out, facts->producer)) ||
	    (rc = put_text(&w->out, facts->host)) || (rc = put_text(&w->out, facts->system)))
		return rc;
	p = (uint8_t *)w->out.data;
	wire_put32(p + WIRE_LENGTH, (uint32_t)w->out.len);
	wire_put32(p + WIRE_CRC, crc_of(&w->crc, p + WIRE_MAJOR, w->out.len - WIRE_MAJOR));
	rc = fd_write_all(w->fd, p, w->out.len);
	w->size = rc ? 0 : w->out.len;
	return rc;
}

/* --- A block -------------------------------------------------------------------------------------------------------
 */

static size_t column_used(const struct column *column)
{
	return (size_t)(column->p - column->data);
}

/* Adds one stream to the output and fills its row. 0 or -ENOMEM. */
static int pack(struct data_writer *w, unsigned stream, size_t row)
{
	const struct column *column = &w->columns[stream];
	size_t used = column_used(column), packed = 0;
	enum data_codec codec = DATA_RAW;
	uint8_t *p;
	int rc = buf_reserve(&w->out, ZSTD_compressBound(used));

	if (rc)
		return rc;
	p = (uint8_t *)w->out.data + w->out.len;
	if (w->zstd && used >= SMALLEST_PACKED) {
		packed = ZSTD_compressCCtx(w->zstd, p, ZSTD_compressBound(used), column->data, used, 1);
		if (!ZSTD_isError(packed) && packed < used - used / WORTH)
			codec = DATA_ZSTD;
	}
	if (codec == DATA_RAW) {
		memcpy(p, column->data, used);
		packed = used;
	}
	w->out.len += packed;
	p = (uint8_t *)w->out.data + row;
	memset(p, 0, DATA_STREAM_ENTRY);
	wire_put16(p + WIRE_STREAM_ID, (uint16_t)stream);
	p[WIRE_STREAM_CODEC] = (uint8_t)codec;
	wire_put32(p + WIRE_STREAM_UNPACKED, (uint32_t)used);
	wire_put32(p + WIRE_STREAM_PACKED, (uint32_t)packed);
	return 0;
}

/* Adds all streams, behind their table. 0 or -ENOMEM. */
static int pack_all(struct data_writer *w, uint32_t *streams, size_t *unpacked)
{
	size_t row = DATA_BLOCK_HEADER;
	int rc;

	*streams = 0;
	*unpacked = 0;
	for (unsigned i = 0; i < DATA_STREAMS; i++)
		*streams += w->columns[i].p != w->columns[i].data;
	w->out.len = 0;
	rc = buf_reserve(&w->out, DATA_BLOCK_HEADER + *streams * DATA_STREAM_ENTRY);
	if (rc)
		return rc;
	w->out.len = DATA_BLOCK_HEADER + *streams * DATA_STREAM_ENTRY;
	for (unsigned i = 0; i < DATA_STREAMS && !rc; i++) {
		if (w->columns[i].p == w->columns[i].data)
			continue;
		rc = pack(w, i, row);
		row += DATA_STREAM_ENTRY;
		*unpacked += column_used(&w->columns[i]);
	}
	return rc;
}

/* The number of a block, and the checksum of its header behind all else. */
void writer_number_block(const struct data_writer *w, uint8_t *p, uint32_t number)
{
	wire_put32(p + WIRE_BLOCK_NUMBER, number);
	wire_put32(p + WIRE_BLOCK_CRC,
	           crc_of(&w->crc, p + WIRE_BLOCK_BODY_CRC, DATA_BLOCK_HEADER - WIRE_BLOCK_BODY_CRC));
}

static void put_block_header(struct data_writer *w, unsigned flags, uint32_t streams, size_t unpacked)
{
	uint8_t *p = (uint8_t *)w->out.data;

	memset(p, 0, DATA_BLOCK_HEADER);
	wire_put32(p + WIRE_BLOCK_MAGIC, DATA_BLOCK_MAGIC);
	wire_put32(p + WIRE_BLOCK_LENGTH, (uint32_t)w->out.len);
	wire_put32(p + WIRE_BLOCK_RECORDS, w->records);
	wire_put16(p + WIRE_BLOCK_STREAMS, (uint16_t)streams);
	wire_put16(p + WIRE_BLOCK_FLAGS, (uint16_t)flags);
	wire_put32(p + WIRE_BLOCK_UNPACKED, (uint32_t)unpacked);
	for (int i = 0; i < DATA_CLOCKS; i++) {
		wire_put64(p + WIRE_BLOCK_FIRST + 8 * i, w->first[i]);
		wire_put64(p + WIRE_BLOCK_LAST + 8 * i, w->last[i]);
	}
	wire_put32(p + WIRE_BLOCK_BODY_CRC, crc_of(&w->crc, p + DATA_BLOCK_HEADER, w->out.len - DATA_BLOCK_HEADER));
	writer_number_block(w, p, w->number);
}

/* The calls that are open where the block begins. A block without them can be read as well. */
static void put_open(struct data_writer *w)
{
	struct column *column = &w->columns[DATA_STREAM_OPEN];

	w->scratch.len = 0;
	if (open_encode(&w->open, &w->scratch, DATA_PAYLOAD_MAX) || writer_room(column, w->scratch.len))
		return;
	if (w->scratch.len)
		memcpy(column->p, w->scratch.data, w->scratch.len);
	column->p += w->scratch.len;
}

static void start_block(struct data_writer *w)
{
	for (unsigned i = 0; i < DATA_STREAMS; i++)
		w->columns[i].p = w->columns[i].data;
	w->records = 0;
	w->heads = 0;
	w->payloads = 0;
	memset(w->seen, 0, sizeof(w->seen));
	memcpy(w->first, w->last, sizeof(w->first));
	if (w->follow && !w->failed)
		put_open(w);
}

int writer_fail(struct data_writer *w, int rc)
{
	w->failed = true;
	w->dropped += w->records;
	memset(w->ready, 0, sizeof(w->ready));
	start_block(w);
	/* Half a block does no harm, but it need not stay. What cannot be cut (a pipe) is left. */
	if (w->start >= 0 && ftruncate(w->fd, w->start + (off_t)w->size) == 0)
		lseek(w->fd, w->start + (off_t)w->size, SEEK_SET);
	return rc;
}

int writer_write_block(struct data_writer *w, unsigned flags)
{
	uint32_t streams;
	size_t unpacked;
	int rc;

	if (!w->records)
		w->columns[DATA_STREAM_OPEN].p = w->columns[DATA_STREAM_OPEN].data;
	rc = pack_all(w, &streams, &unpacked);
	if (rc)
		return writer_fail(w, rc);
	put_block_header(w, flags, streams, unpacked);
	rc = fd_write_all(w->fd, w->out.data, w->out.len);
	if (rc)
		return writer_fail(w, rc);
	w->size += w->out.len;
	w->number++;
	tee_write(w);
	start_block(w);
	return 0;
}

/* --- The whole -----------------------------------------------------------------------------------------------------
 */

static int set_options(struct data_writer *w, const struct data_writer_options *options)
{
	w->limit = options->records ? options->records : DEFAULT_RECORDS;
	w->bytes = options->bytes ? options->bytes : DEFAULT_BYTES;
	w->follow = options->open;
	w->interval = options->interval ? (int64_t)options->interval : INT64_MAX;
	if (w->limit > DATA_RECORDS_MAX || w->bytes > MAX_BYTES || w->interval < 0)
		return -EINVAL;
	if (options->raw)
		return 0;
	w->zstd = ZSTD_createCCtx();
	return w->zstd ? 0 : -ENOMEM;
}

int data_writer_open(struct data_writer **ret, int fd, const struct data_facts *facts,
                     const struct data_writer_options *options)
{
	static const struct data_writer_options usual;
	struct data_writer *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return -ENOMEM;
	w->fd = fd;
	w->start = lseek(fd, 0, SEEK_CUR);
	crc_init(&w->crc);
	rc = set_options(w, options ? options : &usual);
	if (!rc)
		rc = write_header(w, facts);
	if (rc) {
		data_writer_abandon(w);
		return rc;
	}
	*ret = w;
	return 0;
}

int data_writer_flush(struct data_writer *w)
{
	return w->records ? writer_write_block(w, 0) : 0;
}

int data_writer_close(struct data_writer *w)
{
	int rc = w->failed ? 0 : writer_write_block(w, DATA_BLOCK_LAST);

	data_writer_abandon(w);
	return rc;
}

void data_writer_abandon(struct data_writer *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < DATA_STREAMS; i++)
		free(w->columns[i].data);
	ZSTD_freeCCtx(w->zstd);
	buf_release(&w->scratch);
	buf_release(&w->out);
	open_release(&w->open);
	data_writer_abandon(w->tee);
	free(w);
}

uint64_t data_writer_dropped(const struct data_writer *w)
{
	return w->dropped;
}

uint64_t data_writer_size(const struct data_writer *w)
{
	return w->size;
}
