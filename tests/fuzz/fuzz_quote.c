/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quoting and splitting of any bytes: no crash, nothing that disturbs a terminal, and what was quoted can be read back.
 */
#include "expect.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/base/utf8.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* UTF-8 without control characters: what quote_shell writes without $'...', which quote_split does not read. */
static bool is_plain(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = utf8_len(bytes + i, n - i);
		unsigned char c = (unsigned char)bytes[i];

		expect(len <= n - i);
		if (!len || c < 0x20 || c == 0x7f || (len == 2 && c == 0xc2 && (unsigned char)bytes[i + 1] < 0xa0))
			return false;
		i += len;
	}
	return true;
}

static void shell(const char *bytes, size_t n)
{
	cleanup_buf struct buf out = BUF_INIT;
	cleanup_strv struct strv words = STRV_INIT;
	size_t bad = 0;

	expect(quote_shell(&out, bytes, n) == 0);
	expect(is_plain(out.data, out.len));
	if (!is_plain(bytes, n))
		return;
	expect(quote_split(out.data, &words, &bad) == 0);
	expect(words.n == 1 && strlen(words.items[0]) == n && memcmp(words.items[0], bytes, n) == 0);
}

static unsigned hex(const char *p, size_t n)
{
	unsigned value = 0;

	for (size_t i = 0; i < n; i++) {
		const char *digit = strchr("0123456789abcdef", p[i]);

		expect(p[i] && digit);
		value = value * 16 + (unsigned)(strchr("0123456789abcdef", p[i]) - "0123456789abcdef");
	}
	return value;
}

/* One escape of a JSON string at p, which begins with a backslash. Adds its bytes; the bytes of text read. */
static size_t read_escape(const char *p, struct buf *back)
{
	static const char letters[] = "bfnrt\"\\", bytes[] = "\b\f\n\r\t\"\\";
	const char *at = strchr(letters, p[1]);
	unsigned code;

	if (p[1] != 'u') {
		expect(p[1] && at);
		buf_putc(back, bytes[at - letters]);
		return 2;
	}
	code = hex(p + 2, 4);
	expect(code < 0xa0 || (code >= 0xdc80 && code <= 0xdcff));
	if (code >= 0x80 && code < 0xa0)
		buf_putc(back, (char)0xc2);
	buf_putc(back, (char)(code & 0xff));
	return 6;
}

static void json(const char *bytes, size_t n)
{
	cleanup_buf struct buf out = BUF_INIT, back = BUF_INIT;

	expect(quote_json(&out, bytes, n) == 0);
	expect(out.len >= 2 && out.data[0] == '"' && out.data[out.len - 1] == '"');
	expect(is_plain(out.data, out.len));
	for (size_t i = 1; i < out.len - 1;) {
		expect(out.data[i] != '"');
		if (out.data[i] == '\\')
			i += read_escape(out.data + i, &back);
		else
			buf_putc(&back, out.data[i++]);
	}
	expect(back.len == n && (!n || memcmp(back.data, bytes, n) == 0));
}

/* Any text: split, and if that works, quoted and split again it is the same. */
static void split(const char *text)
{
	cleanup_strv struct strv words = STRV_INIT, again = STRV_INIT;
	cleanup_buf struct buf line = BUF_INIT;
	size_t bad = 0;
	int err = quote_split(text, &words, &bad);

	expect(err == 0 || (err == -EINVAL && bad < strlen(text) && strchr("'\"\\", text[bad])));
	if (err || !is_plain(text, strlen(text)))
		return;
	expect(quote_shell_strv(&line, &words) == 0);
	expect(quote_split(line.data, &again, &bad) == 0);
	expect(again.n == words.n);
	for (size_t i = 0; i < words.n; i++)
		expect(strcmp(words.items[i], again.items[i]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_buf struct buf text = BUF_INIT;

	json((const char *)data, size);
	/* A word of a shell holds no NUL. */
	expect(buf_append(&text, data, strnlen((const char *)data, size)) == 0);
	shell(text.data, text.len);
	split(text.data);
	return 0;
}
