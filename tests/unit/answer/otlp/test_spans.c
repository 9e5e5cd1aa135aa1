/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/answer/otlp/spans.h>
#include <exectrace/base/cleanup.h>
#include <string.h>

#define TRACE "0af7651916cd43dd8448eb211c80319c"
#define PARENT "b7ad6b7169203331"

/* The examples and the rules of w3.org/TR/trace-context. */
static void traceparent(void)
{
	static const char *const bad[] = {
		"",
		"00-" TRACE "-" PARENT,
		"00-" TRACE "-" PARENT "-0",
		"00-" TRACE "-" PARENT "-01-more",
		"ff-" TRACE "-" PARENT "-01",
		"00-00000000000000000000000000000000-" PARENT "-01",
		"00-" TRACE "-0000000000000000-01",
		"00-0AF7651916CD43DD8448EB211C80319C-" PARENT "-01",
		"00-" TRACE "+" PARENT "-01",
		"00-" TRACE "-" PARENT "-01x",
	};
	struct otlp_ids ids = {.parent = 7};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK_INT(otlp_traceparent(&ids, bad[i]), 0);
		CHECK_INT(ids.parent, 7);
	}
	CHECK_INT(otlp_traceparent(&ids, "00-" TRACE "-" PARENT "-01"), 1);
	CHECK(ids.parent == 0xb7ad6b7169203331ull);
	CHECK_INT(ids.trace[0], 0x0a);
	CHECK_INT(ids.trace[15], 0x9c);
	CHECK_INT(otlp_traceparent(&ids, "cc-" TRACE "-" PARENT "-00-more"), 1);
}

static void line(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	struct otlp_lines lines = {.out = &out, .resource = "", .version = ""};
	const struct otlp_span span = {.number = 5, .name = "a\"\xff", .start = 1, .end = 2, .failed = "exit 1"};
	const struct otlp_events events = {NULL, 3};
	struct otlp attributes;

	CHECK_INT(otlp_span_begin(&lines, &span), 0);
	attributes = otlp_attributes(&out);
	otlp_number(&attributes, "n", INT64_MIN);
	otlp_text(&attributes, "none", NULL);
	otlp_text(&attributes, "t", "x");
	CHECK_INT(otlp_end(&attributes), 0);
	CHECK_INT(otlp_span_end(&lines, &span, &events), 0);
	CHECK_INT(otlp_lines_end(&lines), 0);
	CHECK_INT(otlp_lines_end(&lines), 0);
	CHECK_STR(out.data,
	          "{\"resourceSpans\":[{\"resource\":{},\"scopeSpans\":[{\"scope\":{\"name\":\"exectrace\"},\"spans\":["
	          "{\"traceId\":\"00000000000000000000000000000000\",\"spanId\":\"0000000000000005\",\"name\":"
	          "\"a\\\"\xef\xbf\xbd\",\"kind\":1,\"startTimeUnixNano\":\"1\",\"endTimeUnixNano\":\"2\","
	          "\"attributes\":[{\"key\":\"n\",\"value\":{\"intValue\":\"-9223372036854775808\"}},"
	          "{\"key\":\"t\",\"value\":{\"stringValue\":\"x\"}}],\"droppedEventsCount\":3,"
	          "\"status\":{\"code\":2,\"message\":\"exit 1\"}}]}]}]}\n");
}

int main(void)
{
	traceparent();
	line();
	return TAP_DONE();
}
