/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/format/text.h>

#include <exectrace/base/quote.h>
#include <string.h>

/* The number of bytes at `at` that may stay as they are. */
static size_t plain_run(const char *at, const char *end, char refused)
{
	const char *p = at;
	size_t n;

	while (p < end && *p != refused && (n = quote_shown_len(p, (size_t)(end - p))))
		p += n;
	return (size_t)(p - at);
}

int text_append(struct buf *out, struct data_text text, char refused)
{
	const char *at = text.bytes, *end = at + text.n;
	int err = 0;

	while (at < end && !err) {
		size_t n = plain_run(at, end, refused);

		if (n)
			err = buf_append(out, at, n);
		else
			err = buf_printf(out, "\\x%02x", (unsigned char)*at);
		at += n ? n : 1;
	}
	return err;
}

struct data_text text_of(const char *string)
{
	return (struct data_text){string ? string : "", string ? strlen(string) : 0};
}
