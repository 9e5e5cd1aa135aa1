/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/answer/report/values.h>

static const struct data_extra extras[] = {{1, DATA_EXTRA_STRING, {"e\n\"0", 4}},
                                           {3, DATA_EXTRA_TEXT, {"{a=1}", 5}},
                                           {6, DATA_EXTRA_CUT, {"long", 4}}};

static void check(const char *signature, const struct data_values *values, const char *people, const char *json)
{
	struct buf out = BUF_INIT;
	struct signature types;

	signature_read(&types, (struct data_text){signature, strlen(signature)});
	CHECK_INT(values_print_args(&out, &types, values), 0);
	CHECK_INT(buf_puts(&out, " = "), 0);
	CHECK_INT(values_print_result(&out, &types, values), 0);
	CHECK_STR(out.data, people);
	buf_reset(&out, 0);
	CHECK_INT(values_json_args(&out, &types, values), 0);
	CHECK_INT(values_json_result(&out, &types, values), 0);
	CHECK_STR(out.data, json);
	buf_release(&out);
}

int main(void)
{
	const struct data_values text = {4, 2, {80, 0x1000, 2, 0x2000}, extras};
	const struct data_values plain = {6, 0, {(uint32_t)-2, 0, 0x101, 'x', UINT64_MAX, (uint64_t)-12}, NULL};
	const struct data_values result = {1, 1, {0x3000}, &extras[2]};
	const struct data_values error = {1, 1, {(uint64_t)-17}, &extras[2]};
	struct buf out = BUF_INIT;

	check("ms:u4,name:p,c:e4{RED=1|BLUE=2},in:p;v", &text, "ms=80, name=\"e\\x0a\"0\", c=BLUE, in={a=1} = ",
	      "{\"ms\":80,\"name\":\"e\\n\\\"0\",\"c\":\"BLUE\",\"in\":\"{a=1}\"}null");
	check("a:s4,b:p,c:b,d:c,e:u8,f:p;s4", &plain,
	      "a=-2, b=NULL, c=true, d='x', e=18446744073709551615, f=-12 (ENOMEM) = -2 (ENOENT)",
	      "{\"a\":-2,\"b\":\"0x0\",\"c\":true,\"d\":120,\"e\":18446744073709551615,\"f\":-12}-2");
	check("a:?,b:x;a", &(const struct data_values){2, 0, {1, 0x22}, NULL}, "a=?, b=0x22 = 0x1",
	      "{\"a\":null,\"b\":\"0x22\"}\"0x1\"");
	check("x:u8;p", &result, "x=12288 = \"long\"...", "{\"x\":12288}\"long\"");
	check("x:u8;p", &error, "x=18446744073709551599 = -17 (EEXIST)", "{\"x\":18446744073709551599}-17");
	CHECK_INT(values_print_args(&out, NULL, &result), 0); /* nobody says what they are */
	CHECK_STR(out.data, "0x3000");
	buf_release(&out);
	return TAP_DONE();
}
