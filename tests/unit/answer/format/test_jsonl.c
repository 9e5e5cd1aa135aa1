/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of JSON: commas, numbers at their limits, strings with anything in them. */
#include "tap.h"

#include <exectrace/answer/format/jsonl.h>
#include <exectrace/base/cleanup.h>

#define TEXT(literal) ((struct data_text){literal, sizeof(literal) - 1})

int main(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	struct jsonl j = {.out = &out};

	jsonl_begin(&j);
	jsonl_number(&j, "a", INT64_MIN);
	jsonl_unsigned(&j, "b", UINT64_MAX);
	jsonl_array(&j, "c");
	jsonl_array_end(&j);
	jsonl_array(&j, "d");
	jsonl_item(&j, TEXT("x"));
	jsonl_item(&j, TEXT("\"\\;\n\0\xff\xc3\xa9"));
	jsonl_array_end(&j);
	jsonl_string(&j, "e", "");
	jsonl_bool(&j, "f", false);
	jsonl_bool(&j, "g", true);
	CHECK_INT(jsonl_end(&j), 0);
	jsonl_begin(&j);
	CHECK_INT(jsonl_end(&j), 0);
	jsonl_begin(&j);
	jsonl_number(&j, "a", 0);
	jsonl_number(&j, "b", INT64_MAX);
	CHECK_INT(jsonl_end(&j), 0);
	CHECK_STR(out.data, "{\"a\":-9223372036854775808,\"b\":18446744073709551615,\"c\":[],"
	                    "\"d\":[\"x\",\"\\\"\\\\;\\n\\u0000\\udcff\xc3\xa9\"],\"e\":\"\",\"f\":false,\"g\":true}\n"
	                    "{}\n"
	                    "{\"a\":0,\"b\":9223372036854775807}\n");
	return TAP_DONE();
}
