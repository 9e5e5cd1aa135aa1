/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/buf.h>
#include <exectrace/base/cleanup.h>
#include <stdint.h>
#include <stdlib.h>

static void appending(void)
{
	cleanup_buf struct buf b = BUF_INIT;

	CHECK(!b.data);
	CHECK_INT(buf_append(&b, NULL, 0), 0);
	CHECK_STR(b.data, "");
	CHECK_INT(buf_puts(&b, "ab"), 0);
	CHECK_INT(buf_putc(&b, 'c'), 0);
	CHECK_INT(buf_append(&b, "d\0e", 3), 0);
	CHECK_INT(b.len, 6);
	CHECK(memcmp(b.data, "abcd\0e", 7) == 0);
	CHECK_INT(buf_printf(&b, "[%d %s]", 42, "x"), 0);
	CHECK_INT(b.len, 12);
	CHECK_STR(b.data + 6, "[42 x]");
}

static void growing(void)
{
	cleanup_buf struct buf b = BUF_INIT;
	bool same = true;

	for (int i = 0; i < 100000; i++)
		if (buf_putc(&b, (char)('a' + i % 26)))
			break;
	CHECK_INT(b.len, 100000);
	for (size_t i = 0; i < b.len; i++)
		same &= b.data[i] == (char)('a' + i % 26);
	CHECK(same);
	CHECK(b.cap > b.len);
	CHECK_INT(b.data[b.len], 0);
}

static void exact_fit(void)
{
	cleanup_buf struct buf b = BUF_INIT;
	size_t cap;

	CHECK_INT(buf_reserve(&b, 1), 0);
	cap = b.cap;
	while (b.len + 1 < cap && !buf_putc(&b, 'x'))
		;
	CHECK_INT(b.cap, (long long)cap);
	CHECK_INT(b.data[b.len], 0);
	CHECK_INT(buf_putc(&b, 'y'), 0);
	CHECK(b.cap > cap);
	CHECK_INT(b.data[cap - 1], 'y');
}

static void too_much(void)
{
	cleanup_buf struct buf b = BUF_INIT;

	const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 6, SIZE_MAX / 2};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		buf_reset(&b, SIZE_MAX);
		CHECK_INT(buf_puts(&b, "stays"), 0);
		CHECK_INT(buf_reserve(&b, sizes[i]), -ENOMEM);
		CHECK_STR(b.data, "stays");
		CHECK_INT(b.len, 5);
	}
}

/* Nothing follows a failure, which is the first one, until the buffer is reset or released. */
static void sticky(void)
{
	struct buf b = BUF_INIT;

	CHECK_INT(buf_puts(&b, "before"), 0);
	CHECK_INT(buf_fail(&b, -EIO), -EIO);
	CHECK_INT(buf_fail(&b, -EINVAL), -EIO);
	CHECK_INT(buf_reserve(&b, 1), -EIO);
	CHECK_INT(buf_append(&b, "x", 1), -EIO);
	CHECK_INT(buf_putc(&b, 'x'), -EIO);
	CHECK_INT(buf_printf(&b, "%d", 1), -EIO);
	CHECK_INT(b.err, -EIO);
	CHECK_STR(b.data, "before");
	buf_reset(&b, SIZE_MAX);
	CHECK_INT(b.err, 0);
	CHECK_INT(buf_puts(&b, "after"), 0);
	CHECK_STR(b.data, "after");
	buf_fail(&b, -EIO);
	CHECK(!buf_steal(&b));
	CHECK_INT(b.err, 0);
	CHECK(!b.data);
}

static void resetting(void)
{
	cleanup_buf struct buf b = BUF_INIT;

	buf_reset(&b, 0);
	CHECK(!b.data);
	CHECK_INT(buf_puts(&b, "text"), 0);
	buf_reset(&b, 1000);
	CHECK_INT(b.len, 0);
	CHECK_STR(b.data, "");
	CHECK(b.cap > 0);
	CHECK_INT(buf_reserve(&b, 5000), 0);
	buf_reset(&b, 1000);
	CHECK_INT(b.cap, 0);
	CHECK(!b.data);
}

static void stealing(void)
{
	struct buf b = BUF_INIT;
	cleanup_free char *empty = buf_steal(&b);
	cleanup_free char *text = NULL;

	CHECK_STR(empty, "");
	CHECK_INT(buf_puts(&b, "mine"), 0);
	text = buf_steal(&b);
	CHECK_STR(text, "mine");
	CHECK(!b.data);
	CHECK_INT(b.len, 0);
	CHECK_INT(b.cap, 0);
}

static void numbers(void)
{
	static const uint64_t some[] = {0, 7, 10, 99, 1000000, 1234567890123, UINT64_MAX};
	char expected[64];
	cleanup_buf struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		for (unsigned width = 0; width <= 20; width += 5) {
			buf_reset(&b, 100);
			snprintf(expected, sizeof(expected), "%0*llu", (int)width, (unsigned long long)some[i]);
			CHECK_INT(buf_decimal(&b, some[i], width), 0);
			CHECK_STR(b.data, expected);
		}
	}
	CHECK_INT(buf_decimal(&b, 1, 1000), 0);
	CHECK_STR(b.data + 20, "00000000000000000001");
}

int main(void)
{
	numbers();
	appending();
	growing();
	exact_fit();
	too_much();
	sticky();
	resetting();
	stealing();
	return TAP_DONE();
}
