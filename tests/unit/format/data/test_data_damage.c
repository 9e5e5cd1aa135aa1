/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are cut, damaged, newer, or that could not be written to their end. */
#include "data_sample.h"
#include "tap.h"

#include "src/format/data/crc.h"
#include "src/format/data/wire.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/data/varint.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct crc_table crc;

/* A small file of three blocks in memory. */
static void make_file(struct buf *file, const struct data_writer_options *options)
{
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	struct data_writer *w;
	size_t size;

	if (!CHECK_INT(data_writer_open(&w, fd, &sample_facts, options), 0))
		return;
	for (size_t i = 0; i < COUNT(sample); i++) {
		data_writer_event(w, &sample[i]);
		if (i == 15 || i == 30)
			data_writer_flush(w);
	}
	CHECK_INT(data_writer_close(w), 0);
	size = (size_t)lseek(fd, 0, SEEK_END);
	buf_reserve(file, size);
	CHECK_INT(pread(fd, file->data, size, 0), size);
	file->len = size;
}

struct result {
	struct buf text, why;
	size_t records;
	int rc;
	enum data_end end;
};

static void result_release(struct result *result)
{
	buf_release(&result->text);
	buf_release(&result->why);
}

/* Reads the first n bytes of a file, from memory that ends there. */
static struct result read_how(const struct buf *file, size_t n, bool ahead)
{
	struct result result = {.rc = 0};
	cleanup_free char *bytes = malloc(n + !n);
	struct data_event event;
	struct data_reader *r;

	memcpy(bytes, file->data, n);
	result.rc = data_reader_memory(&r, bytes, n, "FILE", &result.why);
	if (result.rc)
		return result;
	if (ahead)
		data_reader_ahead(r);
	while ((result.rc = data_reader_next(r, &event, &result.why)) == 1) {
		sample_print(&result.text, &event);
		result.records++;
	}
	result.end = data_reader_end(r);
	data_reader_close(r);
	return result;
}

static bool same_bytes(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (!a->len || memcmp(a->data, b->data, a->len) == 0);
}

/* The same, which another thread must not change. */
static struct result read_part(const struct buf *file, size_t n)
{
	struct result result = read_how(file, n, false), ahead = read_how(file, n, true);

	if (!same_bytes(&result.text, &ahead.text) || !same_bytes(&result.why, &ahead.why) || result.rc != ahead.rc ||
	    result.end != ahead.end || result.records != ahead.records)
		CHECK_STR("read ahead", "read");
	result_release(&ahead);
	return result;
}

/* --- Cut -----------------------------------------------------------------------------------------------------------
 */

/* The block that begins at an offset: its length. */
static size_t block_length(const struct buf *file, size_t offset)
{
	return wire_get32((const uint8_t *)file->data + offset + WIRE_BLOCK_LENGTH);
}

/* How many records lie in whole blocks within n bytes. */
static size_t whole_records(const struct buf *file, size_t n)
{
	size_t offset = wire_get32((const uint8_t *)file->data + WIRE_LENGTH), records = 0;

	while (offset < file->len && offset + block_length(file, offset) <= n) {
		records += wire_get32((const uint8_t *)file->data + offset + WIRE_BLOCK_RECORDS);
		offset += block_length(file, offset);
	}
	return records;
}

static bool cut_is_right(const struct buf *file, size_t n, const struct buf *all)
{
	size_t header = wire_get32((const uint8_t *)file->data + WIRE_LENGTH);
	struct result got = read_part(file, n);
	bool right;

	if (n < header)
		right = got.rc == -ENODATA && got.why.len;
	else
		right = !got.rc && !got.why.len && got.records == whole_records(file, n) &&
		        got.end == (n == file->len ? DATA_END_WHOLE : DATA_END_CUT) &&
		        (!got.text.len || memcmp(got.text.data, all->data, got.text.len) == 0);
	if (!right)
		printf("# cut at %zu: %d, %zu records, %s\n", n, got.rc, got.records, got.why.len ? got.why.data : "");
	result_release(&got);
	return right;
}

static void cut(const struct data_writer_options *options)
{
	cleanup_buf struct buf file = BUF_INIT, small = BUF_INIT;
	struct result all;
	bool right = true;

	make_file(&file, options);
	all = read_part(&file, file.len);
	CHECK_INT(all.records, COUNT(sample));
	for (size_t n = 0; n <= file.len; n++)
		right &= cut_is_right(&file, n, &all.text);
	CHECK(right);
	result_release(&all);
	buf_append(&small, "", 0);
	all = read_part(&small, 0);
	CHECK_INT(all.rc, -ENODATA);
	CHECK_STR(all.why.data, "FILE: ends within its header");
	result_release(&all);
}

/* --- Damaged -------------------------------------------------------------------------------------------------------
 */

/* One line with the file's name in front; what was read before it is right. */
static bool damage_is_told(struct buf *file, size_t at, unsigned char flip, const struct buf *all)
{
	struct result got;
	bool right;

	file->data[at] = (char)(file->data[at] ^ flip);
	got = read_part(file, file->len);
	file->data[at] = (char)(file->data[at] ^ flip);
	right = (got.rc == -EBADMSG || got.rc == -ENODATA) && got.why.len && strncmp(got.why.data, "FILE: ", 6) == 0 &&
	        !strchr(got.why.data, '\n') && (!got.text.len || memcmp(got.text.data, all->data, got.text.len) == 0);
	if (!right)
		printf("# byte %zu ^ %#x: %d, %zu records, %s\n", at, flip, got.rc, got.records,
		       got.why.len ? got.why.data : "");
	result_release(&got);
	return right;
}

static void damaged(const struct data_writer_options *options)
{
	static const unsigned char flips[] = {1, 0x80, 0xff};
	cleanup_buf struct buf file = BUF_INIT;
	struct result all;
	bool right = true;

	make_file(&file, options);
	all = read_part(&file, file.len);
	for (size_t at = 0; at < file.len; at++)
		for (size_t i = 0; i < COUNT(flips); i++)
			right &= damage_is_told(&file, at, flips[i], &all.text);
	CHECK(right);
	result_release(&all);
	/* What stands behind the last block is no part of the file. */
	for (int i = 0; i < DATA_BLOCK_HEADER; i++)
		buf_putc(&file, 'x');
	all = read_part(&file, file.len);
	CHECK_INT(all.rc, -EBADMSG);
	CHECK_STR(all.why.data, "FILE: block 3: its header is damaged");
	CHECK_INT(all.records, COUNT(sample));
	result_release(&all);
}

/* --- Made by others ------------------------------------------------------------------------------------------------
 */

static void fix_header(struct buf *file)
{
	uint8_t *p = (uint8_t *)file->data;

	wire_put32(p + WIRE_CRC, crc_of(&crc, p + WIRE_MAJOR, wire_get32(p + WIRE_LENGTH) - WIRE_MAJOR));
}

static void versions(void)
{
	cleanup_buf struct buf file = BUF_INIT;
	struct result got;
	uint8_t *p;

	make_file(&file, NULL);
	p = (uint8_t *)file.data;
	wire_put16(p + WIRE_MINOR, 77);
	fix_header(&file);
	got = read_part(&file, file.len);
	CHECK(!got.rc && got.records == COUNT(sample));
	result_release(&got);
	wire_put16(p + WIRE_MAJOR, DATA_MAJOR + 1);
	got = read_part(&file, file.len);
	CHECK_INT(got.rc, -EBADMSG);
	CHECK_STR(got.why.data, "FILE: has version 2 of the format, which is newer than this exectrace (1)");
	result_release(&got);
	wire_put16(p + WIRE_MAJOR, DATA_MAJOR);
	wire_put64(p + WIRE_OPTIONAL, UINT64_MAX);
	fix_header(&file);
	got = read_part(&file, file.len);
	CHECK(!got.rc && got.records == COUNT(sample));
	result_release(&got);
	wire_put64(p + WIRE_REQUIRED, 1);
	fix_header(&file);
	got = read_part(&file, file.len);
	CHECK_STR(got.why.data, "FILE: needs features that this exectrace does not have");
	result_release(&got);
}

/* Adds a stream to a block that is made by hand; numbers are all below 128. */
static void add_stream(struct buf *table, struct buf *body, unsigned stream, const char *numbers)
{
	uint8_t row[DATA_STREAM_ENTRY] = {0};
	size_t n = strlen(numbers);

	wire_put16(row + WIRE_STREAM_ID, (uint16_t)stream);
	wire_put32(row + WIRE_STREAM_UNPACKED, (uint32_t)n);
	wire_put32(row + WIRE_STREAM_PACKED, (uint32_t)n);
	buf_append(table, row, sizeof(row));
	buf_append(body, numbers, n);
}

static void add_block(struct buf *file, uint32_t records, const struct buf *table, const struct buf *body)
{
	uint8_t header[DATA_BLOCK_HEADER] = {0};
	cleanup_buf struct buf rest = BUF_INIT;

	buf_append(&rest, table->data, table->len);
	buf_append(&rest, body->data, body->len);
	wire_put32(header + WIRE_BLOCK_MAGIC, DATA_BLOCK_MAGIC);
	wire_put32(header + WIRE_BLOCK_LENGTH, (uint32_t)(DATA_BLOCK_HEADER + rest.len));
	wire_put32(header + WIRE_BLOCK_RECORDS, records);
	wire_put16(header + WIRE_BLOCK_STREAMS, (uint16_t)(table->len / DATA_STREAM_ENTRY));
	wire_put32(header + WIRE_BLOCK_UNPACKED, (uint32_t)body->len);
	wire_put32(header + WIRE_BLOCK_BODY_CRC, crc_of(&crc, rest.data, rest.len));
	wire_put32(header + WIRE_BLOCK_CRC,
	           crc_of(&crc, header + WIRE_BLOCK_BODY_CRC, DATA_BLOCK_HEADER - WIRE_BLOCK_BODY_CRC));
	buf_append(file, header, sizeof(header));
	buf_append(file, rest.data, rest.len);
}

static void only_header(struct buf *file)
{
	make_file(file, NULL);
	file->len = wire_get32((const uint8_t *)file->data + WIRE_LENGTH);
}

/* Types 100, 20 and 200 have streams of their own, which nobody knows; column 9 of a type that is known, too. */
static void unknown_types(void)
{
	cleanup_buf struct buf file = BUF_INIT, table = BUF_INIT, body = BUF_INIT;
	struct result got;

	only_header(&file);
	add_stream(&table, &body, DATA_STREAM_TYPES, "\x64\x41\x14\x0f\xc8\x41");
	add_stream(&table, &body, DATA_STREAM_CLOCK, "\x05\x05\x05");
	add_stream(&table, &body, DATA_STREAM_CLOCK + 1, "\x09\x09\x09");
	add_stream(&table, &body, DATA_STREAM(DATA_NOTE, 0), "\x0d\x05hi\x01\x01\x01");
	add_stream(&table, &body, DATA_STREAM(20, 0), "whatever");
	add_stream(&table, &body, DATA_STREAM(DATA_CALL, 9), "whatever");
	add_stream(&table, &body, DATA_STREAM(100, 3), "whatever");
	add_stream(&table, &body, DATA_STREAM(200, 3), "whatever");
	add_block(&file, 6, &table, &body);
	got = read_part(&file, file.len);
	CHECK_INT(got.rc, -EBADMSG);
	CHECK_STR(got.why.data, "FILE: block 0: a stream is too short for its records");
	result_release(&got);

	only_header(&file);
	table.len = body.len = 0;
	add_stream(&table, &body, DATA_STREAM_TYPES, "\x64\x41\x14\x0f\x41");
	add_stream(&table, &body, DATA_STREAM_CLOCK, "\x05\x05");
	add_stream(&table, &body, DATA_STREAM_CLOCK + 1, "\x09\x09\x09");
	add_stream(&table, &body, DATA_STREAM(DATA_NOTE, 0), "\x0d\x05hi\x01\x01\x01");
	add_stream(&table, &body, DATA_STREAM(20, 0), "whatever");
	add_stream(&table, &body, DATA_STREAM(DATA_CALL, 9), "whatever");
	add_stream(&table, &body, DATA_STREAM(100, 3), "whatever");
	add_stream(&table, &body, DATA_STREAM(200, 3), "whatever");
	add_block(&file, 5, &table, &body);
	got = read_part(&file, file.len);
	CHECK_INT(got.rc, 0);
	CHECK_STR(got.text.data, "4 return\n2 note text=\"hi\"\n6 return\n");
	result_release(&got);
}

/* Blocks with a right checksum and wrong contents: what is said of each. */
static void wrong_block(const char *types, unsigned stream, const char *numbers, const char *want)
{
	cleanup_buf struct buf file = BUF_INIT, table = BUF_INIT, body = BUF_INIT, line = BUF_INIT;
	struct result got;

	only_header(&file);
	add_stream(&table, &body, DATA_STREAM_TYPES, types);
	if (stream != DATA_STREAM_CLOCK)
		add_stream(&table, &body, DATA_STREAM_CLOCK, "\x01\x01\x01\x01");
	add_stream(&table, &body, stream, numbers);
	add_block(&file, 1, &table, &body);
	got = read_part(&file, file.len);
	buf_printf(&line, "FILE: block 0: %s", want);
	CHECK_INT(got.rc, -EBADMSG);
	CHECK_STR(got.why.data, line.data);
	result_release(&got);
}

static void wrong_blocks(void)
{
	static const char cut_stream[] = "a stream is too short for its records", bad[] = "a record is damaged";

	wrong_block("\x0f", DATA_STREAM_CLOCK, "\x04", cut_stream);
	wrong_block("\x0f\x0f", DATA_STREAM(DATA_NOTE, 0), "\x01", "the number of its records is wrong");
	wrong_block("\x0f", DATA_STREAM(DATA_COMM, 0), "\x01", cut_stream);
	wrong_block("\x0f", DATA_STREAM(DATA_NOTE, 0), "\x05", cut_stream);
	wrong_block("\x0f", DATA_STREAM(DATA_NOTE, 0), "\x03\x0b", bad);
	wrong_block("\x08", DATA_STREAM(DATA_FILE, 0), "\x05\x01\x01", "a definition is damaged");
	wrong_block("\x08", DATA_STREAM(DATA_FILE, 0), "\x09\x03", "a definition is damaged");
	wrong_block("\x01", DATA_STREAM_CALL_HEAD, "\x03", bad);
	wrong_block("\x01", DATA_STREAM_CALL_HEAD, "\x01", cut_stream);
	wrong_block("\x0f", DATA_STREAM_CLOCK, "", cut_stream);
	wrong_block("\x0f", DATA_STREAM_TYPES, "\x0f", "its streams are not in order");
}

/* --- Files that cannot be written ----------------------------------------------------------------------------------
 */

static void full_device(void)
{
	cleanup_fd int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct data_writer *w = NULL;

	CHECK_INT(data_writer_open(&w, fd, &sample_facts, NULL), -ENOSPC);
	CHECK(!w);
}

/* The disk gets full after some blocks; with room again, nothing more is written. */
static void full_disk(void)
{
	static const struct data_writer_options options = {.records = 100, .raw = true};
	struct rlimit old, small = {.rlim_max = 0};
	cleanup_fd int fd = -1;
	cleanup_buf struct buf file = BUF_INIT;
	char path[] = "/tmp/test_data.XXXXXX";
	int failures = 0, rc = 0;
	struct data_writer *w;
	struct result got;
	uint64_t size;

	signal(SIGXFSZ, SIG_IGN);
	fd = mkostemp(path, O_CLOEXEC);
	unlink(path);
	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){5000, old.rlim_max};
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
	CHECK_INT(data_writer_open(&w, fd, &sample_facts, &options), 0);
	for (unsigned i = 0; i < 5000; i++) {
		rc = data_writer_call(w, i, i);
		failures += rc != 0;
		if (rc && failures == 1)
			CHECK_INT(rc, -EFBIG);
	}
	CHECK_INT(failures, 1);
	setrlimit(RLIMIT_FSIZE, &old);
	CHECK_INT(data_writer_call(w, 1, 1), 0);
	CHECK_INT(data_writer_flush(w), 0);
	size = data_writer_size(w);
	CHECK(size > 4000 && size <= 5000);
	CHECK_INT(lseek(fd, 0, SEEK_END), size);
	buf_reserve(&file, (size_t)size);
	CHECK_INT(pread(fd, file.data, (size_t)size, 0), size);
	got = read_part(&file, (size_t)size);
	CHECK(!got.rc && got.end == DATA_END_CUT && got.records % 100 == 0 && got.records > 500);
	CHECK_INT(got.records + data_writer_dropped(w), 5001);
	CHECK_INT(data_writer_close(w), 0);
	result_release(&got);
}

/* A reader may follow a writer: the end is asked for again. */
static void follow(void)
{
	cleanup_fd int fd = memfd_create("data", MFD_CLOEXEC);
	cleanup_buf struct buf why = BUF_INIT;
	struct data_event event;
	struct data_writer *w;
	struct data_reader *r;
	char path[32];

	CHECK_INT(data_writer_open(&w, fd, &sample_facts, NULL), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_INT(data_reader_open(&r, path, &why), 0);
	CHECK_INT(data_reader_next(r, &event, &why), 0);
	CHECK_INT(data_reader_end(r), DATA_END_CUT);
	data_writer_call(w, 1, 2);
	data_writer_flush(w);
	CHECK_INT(data_reader_next(r, &event, &why), 1);
	CHECK_INT(event.call.function, 2);
	CHECK_INT(data_reader_next(r, &event, &why), 0);
	data_writer_close(w);
	CHECK_INT(data_reader_next(r, &event, &why), 0);
	CHECK_INT(data_reader_end(r), DATA_END_WHOLE);
	data_reader_close(r);
}

/* What is no file, or none of ours. */
static void others(void)
{
	cleanup_buf struct buf why = BUF_INIT;
	char dir[] = "/tmp/test_data.XXXXXX", path[64];
	struct data_reader *r;

	CHECK(mkdtemp(dir) != NULL);
	CHECK_INT(data_reader_open(&r, "/nonexistent/file", &why), -ENOENT);
	CHECK_INT(data_reader_open(&r, dir, &why), -EISDIR);
	snprintf(path, sizeof(path), "%s/pipe", dir);
	CHECK_INT(mkfifo(path, 0600), 0);
	CHECK_INT(data_reader_open(&r, path, &why), -ESPIPE);
	CHECK_INT(why.len, 0);
	CHECK_INT(data_reader_open(&r, "/dev/null", &why), -ENODATA);
	CHECK_STR(why.data, "/dev/null: ends within its header");
	unlink(path);
	rmdir(dir);
}

/* The processor's instruction and the table. */
static void checksums(void)
{
	struct crc_table table = crc;
	unsigned char bytes[99];
	bool same = true;

	table.instruction = false;
	for (unsigned i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (unsigned char)(i * 97);
		same &= crc_of(&crc, bytes, i) == crc_of(&table, bytes, i);
	}
	CHECK(same);
	CHECK_INT(crc_of(&crc, "123456789", 9), 0xe3069283);
	CHECK_INT(crc_of(&table, "123456789", 9), 0xe3069283);
}

int main(void)
{
	static const struct data_writer_options raw = {.raw = true};

	crc_init(&crc);
	checksums();
	cut(NULL);
	cut(&raw);
	damaged(NULL);
	damaged(&raw);
	versions();
	unknown_types();
	wrong_blocks();
	full_device();
	full_disk();
	follow();
	others();
	return TAP_DONE();
}
