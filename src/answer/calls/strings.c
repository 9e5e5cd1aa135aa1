/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/strings.h>

#include <exectrace/base/quote.h>
#include <string.h>

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/*
 * Adds the byte of the escape whose backslash is before `at`; returns how many characters it has. n >= 1. strace(1) has
 * octal numbers and \v beside those of a shell.
 */
static size_t unescape(struct buf *out, const char *at, size_t n)
{
	unsigned value = 0;
	size_t digits = 0, length;
	char c;

	while (digits < 3 && digits < n && is_octal(at[digits]))
		value = value << 3 | (unsigned)(at[digits++] - '0');
	length = digits ? digits : quote_unescape(at, n, &c);
	if (digits)
		c = (char)value;
	else if (*at == 'v')
		c = '\v';
	buf_putc(out, c);
	return length;
}

/* Adds the bytes of the string that begins behind its quote; returns how many characters it has. */
static size_t unquote(struct buf *out, const char *at, size_t n)
{
	size_t i = 0;

	while (i < n && at[i] != '"') {
		if (at[i] == '\\' && i + 1 < n) {
			i++;
			i += unescape(out, at + i, n - i);
		} else {
			buf_putc(out, at[i++]);
		}
	}
	return i;
}

int strings_iov(struct buf *out, struct data_text text)
{
	static const char key[] = "iov_base=\"";
	const char *at = text.bytes, *end = at + text.n;

	while (at < end && (at = memmem(at, (size_t)(end - at), key, sizeof(key) - 1))) {
		at += sizeof(key) - 1;
		at += unquote(out, at, (size_t)(end - at));
	}
	return out->err;
}
