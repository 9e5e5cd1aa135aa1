/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/otlp/spans.h>

#include <ctype.h>
#include <string.h>

#define SPANS_MAX 100 /* of a line */
#define KIND_INTERNAL 1
#define STATUS_OK 1
#define STATUS_ERROR 2

/* n bytes from 2 * n hexadecimal digits in lower case. False: they are none, or all 0. */
static bool read_hex(uint8_t *to, size_t n, const char *text)
{
	bool any = false;

	for (size_t i = 0; i < 2 * n; i++) {
		unsigned char c = (unsigned char)text[i];
		unsigned digit = c - (isdigit(c) ? '0' : 'a' - 10u);

		if (!isdigit(c) && (c < 'a' || c > 'f'))
			return false;
		to[i / 2] = (uint8_t)(i % 2 ? to[i / 2] | digit : digit << 4);
		any |= digit != 0;
	}
	return any;
}

bool otlp_traceparent(struct otlp_ids *ids, const char *text)
{
	struct otlp_ids read = {.parent = 0};
	size_t n = strlen(text);
	uint8_t parent[8], version, flags;

	if (n < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-' || (n > 55 && text[55] != '-'))
		return false;
	if (!read_hex(read.trace, 16, text + 3) || !read_hex(parent, 8, text + 36))
		return false;
	(void)read_hex(&flags, 1, text + 53);
	/* Version ff is none; 00 has nothing behind its flags. */
	if ((read_hex(&version, 1, text) && version == 0xff) || (!strncmp(text, "00", 2) && n > 55))
		return false;
	for (size_t i = 0; i < sizeof(parent); i++)
		read.parent = read.parent << 8 | parent[i];
	*ids = read;
	return true;
}

/* --- Lines ---------------------------------------------------------------------------------------------------------
 */

static int begin_line(struct otlp_lines *lines)
{
	int rc = buf_printf(lines->out,
	                    "{\"resourceSpans\":[{\"resource\":{%s},\"scopeSpans\":[{\"scope\":{"
	                    "\"name\":\"exectrace\"",
	                    lines->resource);

	if (!rc && *lines->version)
		rc = buf_puts(lines->out, ",\"version\":");
	if (!rc && *lines->version)
		rc = otlp_string(lines->out, lines->version);
	return rc ? rc : buf_puts(lines->out, "},\"spans\":[");
}

int otlp_lines_end(struct otlp_lines *lines)
{
	bool open = lines->spans;

	lines->spans = 0;
	return open ? buf_puts(lines->out, "]}]}]}\n") : 0;
}

static int put_ids(const struct otlp_lines *lines, const struct otlp_span *span)
{
	int rc = buf_puts(lines->out, "{\"traceId\":\"");

	for (size_t i = 0; i < sizeof(lines->ids.trace) && !rc; i++)
		rc = buf_printf(lines->out, "%02x", lines->ids.trace[i]);
	if (!rc)
		rc = buf_printf(lines->out, "\",\"spanId\":\"%016llx\"", (unsigned long long)span->number);
	if (!rc && span->parent)
		rc = buf_printf(lines->out, ",\"parentSpanId\":\"%016llx\"", (unsigned long long)span->parent);
	return rc;
}

int otlp_span_begin(struct otlp_lines *lines, const struct otlp_span *span)
{
	int rc = lines->spans ? buf_putc(lines->out, ',') : begin_line(lines);

	lines->spans++;
	if (!rc)
		rc = put_ids(lines, span);
	if (!rc)
		rc = buf_puts(lines->out, ",\"name\":");
	if (!rc)
		rc = otlp_string(lines->out, span->name);
	if (!rc)
		rc = buf_printf(lines->out, ",\"kind\":%d,\"startTimeUnixNano\":\"%llu\",\"endTimeUnixNano\":\"%llu\",",
		                KIND_INTERNAL, (unsigned long long)span->start, (unsigned long long)span->end);
	return rc;
}

int otlp_span_end(struct otlp_lines *lines, const struct otlp_span *span, const struct otlp_events *events)
{
	int rc = 0;

	if (events->text)
		rc = buf_printf(lines->out, ",\"events\":[%s]", events->text);
	if (!rc && events->dropped)
		rc = buf_printf(lines->out, ",\"droppedEventsCount\":%llu", (unsigned long long)events->dropped);
	if (!rc && span->failed)
		rc = buf_printf(lines->out, ",\"status\":{\"code\":%d,\"message\":\"%s\"}", STATUS_ERROR, span->failed);
	else if (!rc && span->known)
		rc = buf_printf(lines->out, ",\"status\":{\"code\":%d}", STATUS_OK);
	if (!rc)
		rc = buf_putc(lines->out, '}');
	return rc || lines->spans < SPANS_MAX ? rc : otlp_lines_end(lines);
}
