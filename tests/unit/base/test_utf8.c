/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/base/utf8.h>

/* Bytes of the literal without the NUL at its end. */
#define LIT(text) (text), sizeof(text) - 1

static void lengths(void)
{
	CHECK_INT(utf8_len(LIT("a")), 1);
	CHECK_INT(utf8_len("\0", 1), 1);
	CHECK_INT(utf8_len(LIT("\xc2\x80")), 2);
	CHECK_INT(utf8_len(LIT("\xdf\xbf")), 2);
	CHECK_INT(utf8_len(LIT("\xe0\xa0\x80")), 3);
	CHECK_INT(utf8_len(LIT("\xef\xbf\xbf")), 3);
	CHECK_INT(utf8_len(LIT("\xf0\x90\x80\x80")), 4);
	CHECK_INT(utf8_len(LIT("\xf4\x8f\xbf\xbf")), 4);
	CHECK_INT(utf8_len(LIT("\x80")), 0);
	CHECK_INT(utf8_len(LIT("\xc0\x80")), 0);
	CHECK_INT(utf8_len(LIT("\xc1\xbf")), 0);
	CHECK_INT(utf8_len(LIT("\xe0\x9f\xbf")), 0);
	CHECK_INT(utf8_len(LIT("\xed\xa0\x80")), 0);
	CHECK_INT(utf8_len(LIT("\xf0\x8f\xbf\xbf")), 0);
	CHECK_INT(utf8_len(LIT("\xf4\x90\x80\x80")), 0);
	CHECK_INT(utf8_len(LIT("\xf5\x80\x80\x80")), 0);
	CHECK_INT(utf8_len(LIT("\xe2\x82")), 0);
	CHECK_INT(utf8_len("\xe2\x82\xac", 2), 0);
	CHECK_INT(utf8_len(LIT("\xe2\x82"
	                       "a")),
	          0);
}

static void replaced(const char *bytes, size_t n, const char *expected)
{
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_INT(utf8_replace(&out, bytes, n), 0);
	CHECK_STR(out.data ? out.data : "", expected);
}

static void replace(void)
{
	replaced(LIT(""), "");
	replaced(LIT("a\xc3\xa4"), "a\xc3\xa4");
	replaced(LIT("\xff"), "\xef\xbf\xbd");
	replaced(LIT("a\xe2\x82z"), "a\xef\xbf\xbd\xef\xbf\xbdz");
	CHECK_INT(utf8_valid(LIT("ab\xff"
	                         "c")),
	          2);
	CHECK_INT(utf8_valid(LIT("ab")), 2);
}

int main(void)
{
	lengths();
	replace();
	return TAP_DONE();
}
