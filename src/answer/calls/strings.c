/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/strings.h>

#include <string.h>

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Adds the byte of the escape whose backslash is before `at`; returns how many characters it has. n >= 1. */
static size_t unescape(struct buf *out, const char *at, size_t n)
{
	static const char letters[] = "abtnvfr", bytes[] = "\a\b\t\n\v\f\r";
	const char *letter = memchr(letters, *at, sizeof(letters) - 1);
	unsigned value = 0;
	size_t digits = 0;

	if (letter) {
		buf_putc(out, bytes[letter - letters]);
		return 1;
	}
	if (*at == 'x' && n >= 3 && hex_digit(at[1]) >= 0 && hex_digit(at[2]) >= 0) {
		buf_putc(out, (char)(hex_digit(at[1]) << 4 | hex_digit(at[2])));
		return 3;
	}
	while (digits < 3 && digits < n && is_octal(at[digits]))
		value = value << 3 | (unsigned)(at[digits++] - '0');
	buf_putc(out, digits ? (char)value : *at);
	return digits ? digits : 1;
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
