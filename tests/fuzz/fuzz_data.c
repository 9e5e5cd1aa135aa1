/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a file of records; then the same with its checksums, magic numbers and sums put right, as far as it
 * looks like one, so that what lies behind them is reached. What must hold: an error says one line, everything that a
 * record points to can be read, and what was read can be written and read again.
 */
#include "../../src/format/data/crc.h"
#include "../../src/format/data/wire.h"
#include "expect.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/data/dictionary.h>
#include <exectrace/format/data/writer.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_line(int rc, const struct buf *why)
{
	expect(rc == 0 || rc == -EBADMSG || rc == -ENODATA); /* ends within its header */
	expect((rc == 0) == (why->len == 0));
	expect(!why->len || (strncmp(why->data, "FILE: ", 6) == 0 && !strchr(why->data, '\n')));
}

/* --- Touching all that a record points to ----------------------------------------------------------------------------
 */

static volatile unsigned sink;

static void touch(struct data_text text)
{
	unsigned sum = 0;

	for (size_t i = 0; i < text.n; i++)
		sum += (unsigned char)text.bytes[i];
	sink += sum;
}

static void touch_event(const struct data_event *event)
{
	switch (event->type) {
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
		for (unsigned i = 0; i < event->syscall.nextras; i++)
			touch(event->syscall.extras[i].text);
		break;
	case DATA_EXEC:
		touch(event->exec.path);
		touch(event->exec.argv);
		break;
	case DATA_FILE:
		touch(event->file.path);
		touch(event->file.build_id);
		break;
	case DATA_STACK:
		for (uint32_t i = 0; i < event->stack.n; i++)
			sink += (unsigned)event->stack.frames[i];
		break;
	case DATA_SYMBOLS:
		for (uint32_t i = 0; i < event->symbols.n; i++)
			touch(event->symbols.items[i].name);
		break;
	case DATA_COMM:
		touch(event->comm.name);
		break;
	case DATA_SIGNATURE:
		touch(event->signature.text);
		break;
	case DATA_CALL_ARGS:
	case DATA_CALL_RESULT:
		for (unsigned i = 0; i < event->values.nextras; i++)
			touch(event->values.extras[i].text);
		break;
	case DATA_MESSAGE:
		expect(event->message.level <= DATA_LEVEL_MAX);
		touch(event->message.text);
		break;
	case DATA_NOTE:
		touch(event->note);
		break;
	default:
		break;
	}
}

/* Asks the dictionaries about what a record mentions. */
static void look_up(struct data_reader *r, uint64_t id)
{
	const struct data_map *maps;
	struct data_function function;
	struct data_symbol symbol;
	struct data_stack stack;
	struct data_file file;
	size_t n;

	if (!data_reader_file(r, id, &file))
		touch(file.path);
	if (!data_reader_function(r, id, &function))
		touch(function.name);
	if (!data_reader_stack(r, id, &stack))
		for (uint32_t i = 0; i < stack.n; i++)
			sink += (unsigned)stack.frames[i];
	if (!data_reader_symbol(r, id, id * 3, &symbol))
		touch(symbol.name);
	if (!data_reader_maps(r, id, &maps, &n))
		for (size_t i = 0; i < n; i++)
			expect(maps[i].start < maps[i].end && (!i || maps[i - 1].end <= maps[i].start));
}

static uint64_t mentioned(const struct data_event *event)
{
	switch (event->type) {
	case DATA_SYSCALL:
		return event->syscall.stack;
	case DATA_MAP:
	case DATA_UNMAP:
		return event->map.set;
	case DATA_MAPSET:
		return event->mapset.id;
	case DATA_STACK:
		return event->stack.id;
	case DATA_SYMBOLS:
		return event->symbols.file;
	case DATA_CALL:
		return event->call.function;
	default:
		return event->clock & 7;
	}
}

/* The open calls of each block, before its records. */
static void touch_open(const uint8_t *data, size_t size)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct data_block block;
	struct data_reader *r;
	struct data_open open;
	int rc = data_reader_memory(&r, data, size, "FILE", &why);

	if (rc)
		return;
	while ((rc = data_reader_block(r, &block, &why)) == 1) {
		while ((rc = data_reader_open_calls(r, &open, &why)) == 1)
			for (uint32_t i = 0; i < open.n; i++)
				sink += (unsigned)open.calls[i].function;
		if (rc)
			break;
	}
	expect_line(rc, &why);
	data_reader_close(r);
}

/* Small records together, and what is between them; perhaps read ahead. A sum of it all; 1 when it is damaged. */
static uint64_t touch_small(const uint8_t *data, size_t size, bool ahead)
{
	cleanup_buf struct buf why = BUF_INIT;
	const struct data_small *items;
	struct data_event event;
	struct data_reader *r;
	uint64_t sum = 0;
	size_t n;
	int rc = data_reader_memory(&r, data, size, "FILE", &why);

	if (rc)
		return 0;
	if (ahead)
		data_reader_ahead(r);
	while ((rc = data_reader_next(r, &event, &why)) == 1) {
		touch_event(&event);
		sum = sum * 31 + event.clock + event.type;
		while ((n = data_reader_small(r, &items)) != 0)
			while (n--)
				sum += items[n].function * 7 + items[n].clock + items[n].type;
	}
	expect_line(rc, &why);
	data_reader_close(r);
	return rc ? 1 : sum;
}

/* --- Reading ---------------------------------------------------------------------------------------------------------
 */

/* Reads all; writes it to w when that is not NULL. The number of records. */
static size_t read_all(struct data_reader *r, struct data_writer *w, struct buf *why)
{
	struct data_event event;
	size_t n = 0;
	int rc;

	while ((rc = data_reader_next(r, &event, why)) == 1) {
		touch_event(&event);
		if (w)
			expect(data_writer_event(w, &event) == 0);
		if (n++ < 100)
			look_up(r, mentioned(&event));
	}
	expect_line(rc, why);
	expect((data_reader_end(r) == DATA_END_OPEN) == (rc < 0));
	return n;
}

static void read_back(int fd, size_t n)
{
	cleanup_buf struct buf why = BUF_INIT;
	struct data_reader *r;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	expect(data_reader_open(&r, path, &why) == 0);
	expect(read_all(r, NULL, &why) == n && data_reader_end(r) == DATA_END_WHOLE);
	data_reader_close(r);
}

static void read_bytes(const uint8_t *data, size_t size)
{
	static const struct data_writer_options options = {.raw = true, .records = 50, .open = true};
	cleanup_buf struct buf why = BUF_INIT, again = BUF_INIT;
	cleanup_fd int fd = -1;
	struct data_reader *r;
	struct data_writer *w = NULL;
	size_t n;
	int rc = data_reader_memory(&r, data, size, "FILE", &why);

	expect_line(rc, &why);
	if (rc)
		return;
	if (size & 1)
		expect_line(data_reader_load(r, &again), &again);
	fd = memfd_create("again", MFD_CLOEXEC);
	expect(fd >= 0 && data_writer_open(&w, fd, data_reader_facts(r), &options) == 0);
	n = read_all(r, w, &why);
	data_reader_close(r);
	expect(data_writer_close(w) == 0);
	read_back(fd, n);
}

/* --- Putting right ---------------------------------------------------------------------------------------------------
 */

/* The table of a block of n bytes: sums and lengths that fit. */
static void fix_block(const struct crc_table *crc, uint8_t *p, uint32_t n, uint32_t number)
{
	unsigned streams = wire_get16(p + WIRE_BLOCK_STREAMS), i;
	uint32_t table = streams * DATA_STREAM_ENTRY, left, unpacked = 0;

	if (table > n - DATA_BLOCK_HEADER)
		wire_put16(p + WIRE_BLOCK_STREAMS, 0), table = streams = 0;
	left = n - DATA_BLOCK_HEADER - table;
	for (i = 0; i < streams; i++) {
		uint8_t *row = p + DATA_BLOCK_HEADER + i * DATA_STREAM_ENTRY;
		uint32_t packed = wire_get32(row + WIRE_STREAM_PACKED);

		if (packed > left || i == streams - 1)
			packed = left;
		left -= packed;
		wire_put32(row + WIRE_STREAM_PACKED, packed);
		if (row[WIRE_STREAM_CODEC] == DATA_RAW)
			wire_put32(row + WIRE_STREAM_UNPACKED, packed);
		unpacked += wire_get32(row + WIRE_STREAM_UNPACKED);
		if (wire_get16(row + WIRE_STREAM_ID) == DATA_STREAM_TYPES)
			wire_put32(p + WIRE_BLOCK_RECORDS, wire_get32(row + WIRE_STREAM_UNPACKED));
	}
	wire_put32(p + WIRE_BLOCK_MAGIC, DATA_BLOCK_MAGIC);
	wire_put32(p + WIRE_BLOCK_NUMBER, number);
	wire_put32(p + WIRE_BLOCK_UNPACKED, unpacked);
	wire_put32(p + WIRE_BLOCK_BODY_CRC, crc_of(crc, p + DATA_BLOCK_HEADER, n - DATA_BLOCK_HEADER));
	wire_put32(p + WIRE_BLOCK_CRC, crc_of(crc, p + WIRE_BLOCK_BODY_CRC, DATA_BLOCK_HEADER - WIRE_BLOCK_BODY_CRC));
}

static void put_right(uint8_t *p, size_t n)
{
	struct crc_table crc;
	size_t length, at;

	if (n < DATA_HEADER_FIXED)
		return;
	crc_init(&crc);
	memcpy(p, DATA_MAGIC, DATA_MAGIC_SIZE);
	wire_put16(p + WIRE_MAJOR, DATA_MAJOR);
	wire_put64(p + WIRE_REQUIRED, 0);
	length = wire_get32(p + WIRE_LENGTH);
	if (length < DATA_HEADER_FIXED || length > n)
		return;
	wire_put32(p + WIRE_CRC, crc_of(&crc, p + WIRE_MAJOR, length - WIRE_MAJOR));
	at = length;
	for (uint32_t number = 0; n - at >= DATA_BLOCK_HEADER; number++) {
		uint32_t size = wire_get32(p + at + WIRE_BLOCK_LENGTH);

		if (size < DATA_BLOCK_HEADER || size > n - at) {
			size = (uint32_t)(n - at);
			wire_put32(p + at + WIRE_BLOCK_LENGTH, size);
		}
		fix_block(&crc, p + at, size, number);
		at += size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_free uint8_t *copy = malloc(size + 1);

	read_bytes(data, size);
	if (size)
		memcpy(copy, data, size);
	put_right(copy, size);
	read_bytes(copy, size);
	touch_open(copy, size);
	expect(touch_small(copy, size, false) == touch_small(copy, size, true));
	return 0;
}
