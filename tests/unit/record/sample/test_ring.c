/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as the kernel lays them out (linux/perf_event.h), whole, cut at every byte, and with sizes that lie. */
#include "src/record/sample/parse.h"
#include "tap.h"
#include <errno.h>
#include <exectrace/base/buf.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

static const struct ring_format whole = {.chain = true, .stack = true, .registers = 0x1ff};

struct maker {
	struct buf bytes;
};

static void put(struct maker *m, const void *bytes, size_t n)
{
	if (buf_append(&m->bytes, bytes, n))
		CHECK(!"memory");
}

static void put32(struct maker *m, uint32_t v)
{
	put(m, &v, sizeof(v));
}

static void put64(struct maker *m, uint64_t v)
{
	put(m, &v, sizeof(v));
}

static void put_text(struct maker *m, const char *text)
{
	char padded[64] = "";

	strcpy(padded, text);
	put(m, padded, (strlen(text) + 8) / 8 * 8);
}

static void begin(struct maker *m, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = {type, misc, 0};

	buf_reset(&m->bytes, 4096);
	put(m, &header, sizeof(header));
}

/* What stands behind all but samples: thread 7 of process 5, time 1000, processor 3. */
static void end(struct maker *m)
{
	put32(m, 5);
	put32(m, 7);
	put64(m, 1000);
	put32(m, 3);
	put32(m, 0);
}

static int parse(const struct ring_format *format, struct maker *m, struct ring_record *record)
{
	uint16_t n = (uint16_t)m->bytes.len;

	memcpy(m->bytes.data + offsetof(struct perf_event_header, size), &n, sizeof(n));
	return ring_parse(format, m->bytes.data, m->bytes.len, record);
}

/* No part of a record is taken for a record. */
static void cut_anywhere(const struct ring_format *format, const struct maker *m)
{
	struct ring_record record;
	unsigned wrong = 0;

	for (size_t n = 0; n < m->bytes.len; n++) {
		char *copy = malloc(n ? n : 1);

		memcpy(copy, m->bytes.data, n);
		wrong += ring_parse(format, copy, n, &record) != -EBADMSG;
		free(copy);
	}
	CHECK_INT(wrong, 0);
}

static void make_sample(struct maker *m, uint64_t chain, uint64_t abi, uint64_t size, uint64_t copied)
{
	begin(m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put32(m, 5);
	put32(m, 7);
	put64(m, 1234567);
	put32(m, 1);
	put32(m, 0);
	put64(m, 1003009);
	put64(m, chain);
	for (uint64_t i = 0; i < 3; i++)
		put64(m, 0xffffffff81000000 + i);
	put64(m, abi);
	for (uint64_t i = 0; abi && i < 9; i++)
		put64(m, 100 + i);
	put64(m, size);
	for (int i = 0; i < 4 && size; i++)
		put64(m, 0x1111111111111111u * (unsigned)i);
	if (size)
		put64(m, copied);
}

static void samples(void)
{
	struct maker m = {BUF_INIT};
	struct ring_record r;

	make_sample(&m, 3, PERF_SAMPLE_REGS_ABI_64, 32, 24);
	CHECK_INT(parse(&whole, &m, &r), 0);
	CHECK_INT(r.kind, RING_SAMPLE);
	CHECK(r.pid == 5 && r.tid == 7 && r.time == 1234567 && r.cpu == 1 && r.sample.period == 1003009);
	CHECK(r.sample.n_chain == 3 && r.sample.chain[2] == 0xffffffff81000002);
	CHECK(r.sample.abi == PERF_SAMPLE_REGS_ABI_64 && r.sample.n_registers == 9 && r.sample.registers[8] == 108);
	CHECK(r.sample.n_stack == 24 && ((const char *)r.sample.stack)[8] == 0x11 && !r.sample.whole);
	cut_anywhere(&whole, &m);
	make_sample(&m, 3, PERF_SAMPLE_REGS_ABI_64, 32, 32);
	CHECK(parse(&whole, &m, &r) == 0 && r.sample.whole && r.sample.n_stack == 32);
	make_sample(&m, 3, PERF_SAMPLE_REGS_ABI_NONE, 0, 0);
	CHECK(parse(&whole, &m, &r) == 0 && !r.sample.n_registers && !r.sample.n_stack && !r.sample.stack);
	make_sample(&m, 3, PERF_SAMPLE_REGS_ABI_64, 32, 33); /* more than there is */
	CHECK_INT(parse(&whole, &m, &r), -EBADMSG);
	make_sample(&m, UINT64_MAX / 8 + 2, PERF_SAMPLE_REGS_ABI_64, 32, 32);
	CHECK_INT(parse(&whole, &m, &r), -EBADMSG);
	make_sample(&m, 3, PERF_SAMPLE_REGS_ABI_64, UINT64_MAX - 7, 32);
	CHECK_INT(parse(&whole, &m, &r), -EBADMSG);
	CHECK_INT(ring_sample_type(&whole), PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
	                                            PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
	                                            PERF_SAMPLE_STACK_USER);
	buf_release(&m.bytes);
}

static void make_map(struct maker *m, uint16_t misc, uint64_t address)
{
	begin(m, PERF_RECORD_MMAP2, misc);
	put32(m, 5);
	put32(m, 6);
	put64(m, address);
	put64(m, 0x3000);
	put64(m, 0x1000);
	put32(m, 8);
	put32(m, 1);
	put64(m, 4711);
	put64(m, 1);
	put32(m, PROT_READ | PROT_EXEC);
	put32(m, MAP_PRIVATE);
	put_text(m, "/usr/lib/libx.so");
	end(m);
}

static void others(void)
{
	struct maker m = {BUF_INIT};
	struct ring_record r;

	make_map(&m, 0, 0x7f0000000000);
	CHECK_INT(parse(&whole, &m, &r), 0);
	CHECK(r.kind == RING_MAP && r.pid == 5 && r.tid == 6 && r.time == 1000 && r.cpu == 3);
	CHECK(r.map.address == 0x7f0000000000 && r.map.size == 0x3000 && r.map.offset == 0x1000);
	CHECK(r.map.device == makedev(8, 1) && r.map.inode == 4711 && r.map.protection == (PROT_READ | PROT_EXEC));
	CHECK_STR(r.map.path, "/usr/lib/libx.so");
	cut_anywhere(&whole, &m);
	make_map(&m, PERF_RECORD_MISC_MMAP_BUILD_ID, 0x7f0000000000);
	CHECK_INT(parse(&whole, &m, &r), -EBADMSG);
	make_map(&m, 0, UINT64_MAX - 0x2000);
	CHECK_INT(parse(&whole, &m, &r), -EBADMSG);
	begin(&m, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put32(&m, 5);
	put32(&m, 5);
	put_text(&m, "prog");
	end(&m);
	CHECK(parse(&whole, &m, &r) == 0 && r.kind == RING_COMM && r.comm.exec && strcmp(r.comm.name, "prog") == 0);
	cut_anywhere(&whole, &m);
	begin(&m, PERF_RECORD_FORK, 0);
	for (uint32_t i = 10; i < 14; i++)
		put32(&m, i);
	put64(&m, 999);
	end(&m);
	CHECK(parse(&whole, &m, &r) == 0 && r.kind == RING_FORK && r.pid == 10 && r.task.ppid == 11 && r.tid == 12 &&
	      r.task.ptid == 13 && r.time == 1000);
	begin(&m, PERF_RECORD_LOST, 0);
	put64(&m, 77);
	put64(&m, 12);
	end(&m);
	CHECK(parse(&whole, &m, &r) == 0 && r.kind == RING_LOST && r.lost == 12 && r.cpu == 3);
	begin(&m, PERF_RECORD_AUX, 0);
	end(&m);
	CHECK(parse(&whole, &m, &r) == 0 && r.kind == RING_OTHER);
	buf_release(&m.bytes);
}

int main(void)
{
	samples();
	others();
	return TAP_DONE();
}
