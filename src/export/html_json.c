/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "html_page.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <string.h>

int html_string(struct buf *out, const char *text)
{
	cleanup_buf struct buf json = BUF_INIT;
	int rc = quote_json(&json, text, strlen(text));

	for (size_t i = 0; i < json.len && !rc; i++) {
		char c = json.data[i];

		/* "</script>" and "<!--" would end the element, or hide its end. */
		rc = c == '<' || c == '>' || c == '&' ? buf_printf(out, "\\u%04x", c) : buf_putc(out, c);
	}
	return rc;
}

int html_item(struct buf *out)
{
	char last = out->len ? out->data[out->len - 1] : ',';

	return last == '[' || last == '{' || last == ',' ? 0 : buf_putc(out, ',');
}

int html_key(struct buf *out, const char *key)
{
	int rc = html_item(out);

	return rc ? rc : buf_printf(out, "\"%s\":", key);
}
