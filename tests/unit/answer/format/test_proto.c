/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wire format of Protocol Buffers; the first cases are the examples of its documentation. */
#include "src/answer/format/proto.h"
#include "tap.h"

#include <exectrace/base/cleanup.h>

#define SAME(out, literal) CHECK((out).len == sizeof(literal) - 1 && memcmp((out).data, literal, (out).len) == 0)

static void documented(void)
{
	cleanup_buf struct buf number = BUF_INIT, text = BUF_INIT, nested = BUF_INIT;
	struct proto p = {.out = &number};
	size_t opened;

	proto_number(&p, 1, 150);
	SAME(number, "\x08\x96\x01");
	p.out = &text;
	proto_bytes(&p, 2, "testing", 7);
	SAME(text, "\x12\x07testing");
	p.out = &nested;
	opened = proto_open(&p, 3);
	proto_number(&p, 1, 150);
	proto_close(&p, opened);
	SAME(nested, "\x1a\x03\x08\x96\x01");
	CHECK_INT(p.err, 0);
}

static void extremes(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	struct proto p = {.out = &out};

	proto_number(&p, 1, 0);
	proto_number(&p, 1, 127);
	proto_number(&p, 1, 128);
	proto_number(&p, 60, UINT64_MAX);
	proto_bytes(&p, 15, NULL, 0);
	SAME(out, "\x08\x00\x08\x7f\x08\x80\x01\xe0\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x7a\x00");
}

/* A message whose length needs n bytes, within one whose length does too. */
static void lengths(size_t size, const char *length, size_t n)
{
	cleanup_buf struct buf out = BUF_INIT, body = BUF_INIT;
	struct proto p = {.out = &out};
	size_t outer = proto_open(&p, 1), inner;

	while (body.len < size && !buf_putc(&body, (char)('a' + body.len % 26)))
		;
	inner = proto_open(&p, 2);
	CHECK_INT(buf_append(&out, body.data, body.len), 0);
	proto_close(&p, inner);
	proto_close(&p, outer);
	CHECK_INT(p.err, 0);
	CHECK(out.len > size + n && memcmp(out.data + out.len - size, body.data, size) == 0);
	CHECK(memcmp(out.data + out.len - size - n, length, n) == 0 && out.data[out.len - size - n - 1] == 0x12);
}

int main(void)
{
	documented();
	extremes();
	lengths(1, "\x01", 1);
	lengths(127, "\x7f", 1);
	lengths(128, "\x80\x01", 2);
	lengths(300, "\xac\x02", 2);
	lengths(16384, "\x80\x80\x01", 3);
	return TAP_DONE();
}
