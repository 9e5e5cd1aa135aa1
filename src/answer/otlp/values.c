/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/otlp/values.h>

#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/base/utf8.h>
#include <string.h>

int otlp_string(struct buf *out, const char *text)
{
	size_t n = strlen(text);
	cleanup_buf struct buf valid = BUF_INIT;

	if (utf8_valid(text, n) == n)
		return quote_json(out, text, n);
	return utf8_replace(&valid, text, n) ? valid.err : quote_json(out, valid.data, valid.len);
}

struct otlp otlp_attributes(struct buf *out)
{
	struct otlp o = {.out = out};

	o.rc = buf_puts(out, "\"attributes\":[");
	return o;
}

static bool begin(struct otlp *o, const char *key)
{
	if (!o->rc)
		o->rc = buf_printf(o->out, "%s{\"key\":\"%s\",\"value\":{", o->comma ? "," : "", key);
	o->comma = true;
	return !o->rc;
}

static void end(struct otlp *o)
{
	if (!o->rc)
		o->rc = buf_puts(o->out, "}}");
}

void otlp_text(struct otlp *o, const char *key, const char *text)
{
	if (!text || !*text || !begin(o, key))
		return;
	o->rc = buf_puts(o->out, "\"stringValue\":");
	if (!o->rc)
		o->rc = otlp_string(o->out, text);
	end(o);
}

void otlp_number(struct otlp *o, const char *key, int64_t value)
{
	if (!begin(o, key))
		return;
	o->rc = buf_printf(o->out, "\"intValue\":\"%lld\"", (long long)value);
	end(o);
}

void otlp_words(struct otlp *o, const char *key, const struct strv *words)
{
	if (!words->n || !begin(o, key))
		return;
	o->rc = buf_puts(o->out, "\"arrayValue\":{\"values\":[");
	for (size_t i = 0; i < words->n && !o->rc; i++) {
		o->rc = buf_puts(o->out, i ? ",{\"stringValue\":" : "{\"stringValue\":");
		if (!o->rc)
			o->rc = otlp_string(o->out, words->items[i]);
		if (!o->rc)
			o->rc = buf_putc(o->out, '}');
	}
	if (!o->rc)
		o->rc = buf_puts(o->out, "]}");
	end(o);
}

int otlp_end(struct otlp *o)
{
	return o->rc ? o->rc : buf_putc(o->out, ']');
}
