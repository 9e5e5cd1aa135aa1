/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was written, from its text. */
#include "tap.h"

#include <exectrace/answer/calls/strings.h>
#include <string.h>

static void has(const char *text, const char *bytes, size_t n)
{
	struct buf out = BUF_INIT;

	CHECK_INT(strings_iov(&out, (struct data_text){text, strlen(text)}), 0);
	CHECK(out.len == n && (!n || memcmp(out.data, bytes, n) == 0));
	buf_release(&out);
}

#define HAS(text, literal) has(text, literal, sizeof(literal) - 1)

int main(void)
{
	HAS("[{iov_base=\"./ml\", iov_len=4}, {iov_base=\": \", iov_len=2}]", "./ml: ");
	HAS("[{iov_base=\"\\n\\t\\\\\\\"\\0\\0011\\377\", iov_len=9}]", "\n\t\\\"\0\0011\377");
	HAS("[{iov_base=\"\\x00\\xe2z\", iov_len=3}]", "\0\xe2z");
	HAS("[{iov_base=\"\", iov_len=0}]", "");
	/* Cut, or nothing of the kind. */
	HAS("[{iov_base=\"abc\"..., iov_len=3000}, ...]", "abc");
	HAS("[{iov_base=\"ab\\", "ab\\");
	HAS("[{iov_base=\"ab\\x1", "abx1");
	HAS("[{iov_base=\"", "");
	HAS("0x7ffc10728200", "");
	HAS("", "");
	return tap_done();
}
