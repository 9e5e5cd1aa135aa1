/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/html/html_page.h>

#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <string.h>

void html_string(struct buf *out, const char *text)
{
	cleanup_buf struct buf json = BUF_INIT;

	quote_json(&json, text, strlen(text));
	buf_fail(out, json.err);
	for (size_t i = 0; i < json.len; i++) {
		char c = json.data[i];

		/* "</script>" and "<!--" would end the element, or hide its end. */
		if (c == '<' || c == '>' || c == '&')
			buf_printf(out, "\\u%04x", c);
		else
			buf_putc(out, c);
	}
}

void html_item(struct buf *out)
{
	char last = out->len ? out->data[out->len - 1] : ',';

	if (last != '[' && last != '{' && last != ',')
		buf_putc(out, ',');
}

void html_key(struct buf *out, const char *key)
{
	html_item(out);
	buf_printf(out, "\"%s\":", key);
}
