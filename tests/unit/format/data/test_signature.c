/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/format/data/signature.h>

static struct data_text text(const char *string)
{
	return (struct data_text){string, strlen(string)};
}

static void test_read(void)
{
	static const char whole[] = "a:s4,on:b,c:e4{RED=1|BLUE=2|ODD=-1},p:p,w:?,x:u2;e1{NO=0}";
	struct signature s;
	int64_t value = 0;

	signature_read(&s, text(whole));
	CHECK_INT(s.n, 6);
	CHECK(s.args[0].kind == SIGNATURE_SIGNED && s.args[0].size == 4);
	CHECK(s.args[1].kind == SIGNATURE_BOOL && s.args[3].kind == SIGNATURE_POINTER);
	CHECK(s.args[4].kind == SIGNATURE_OTHER && s.args[5].kind == SIGNATURE_UNSIGNED && s.args[5].size == 2);
	CHECK(s.result.kind == SIGNATURE_ENUM && s.result.size == 1);
	CHECK_INT(signature_arg(&s, "c"), 2);
	CHECK_INT(signature_arg(&s, "arg6"), 5);
	CHECK_INT(signature_arg(&s, "arg7"), -1);
	CHECK_INT(signature_arg(&s, ""), -1);
	CHECK_INT((long long)signature_enumerator(&s.args[2], 2).n, 4);
	CHECK_INT((long long)signature_enumerator(&s.args[2], 3).n, 0);
	CHECK(signature_enum_value(&s.args[2], "ODD", &value) && value == -1);
	CHECK(!signature_enum_value(&s.args[2], "OD", &value) && !signature_enum_value(&s.args[0], "ODD", &value));
}

static void test_numbers(void)
{
	struct signature s;

	signature_read(&s, text("a:s4,b:u1,c:b,d:s1,e:x;v"));
	CHECK_INT(signature_number(&s.args[0], 0x1fffffffe), -2);
	CHECK_INT(signature_number(&s.args[1], 0xfffe), 0xfe);
	CHECK_INT(signature_number(&s.args[2], 0x100), 0);
	CHECK_INT(signature_number(&s.args[2], 0x102), 1);
	CHECK_INT(signature_number(&s.args[3], 0x80), -128);
	CHECK_INT(signature_number(&s.args[4], UINT64_MAX), -1);
	CHECK_INT(s.result.kind, SIGNATURE_NOTHING);
}

/* Whatever a text has, types are those that there are, and so are sizes. */
static void test_damage(void)
{
	static const char *const wrong[] = {"",
	                                    ";",
	                                    ",",
	                                    ":",
	                                    "a",
	                                    "a:",
	                                    "a:;",
	                                    "a:s9",
	                                    "a:s",
	                                    "a:e4{",
	                                    "a:e4{A",
	                                    "a:e4{A=",
	                                    "a:e4{=1}",
	                                    "a:z;z",
	                                    "a:s4b;p4",
	                                    ";e4{A=1",
	                                    "a:s4,a:s4,a:s4,a:s4,a:s4,a:s4,a:s4,a:s4;s4"};
	struct signature s;
	unsigned bad = 0;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		signature_read(&s, text(wrong[i]));
		bad += s.n > DATA_ARGS;
		for (unsigned k = 0; k < s.n; k++)
			bad += !memchr("\1\2\4\10", s.args[k].size, 4) || signature_enumerator(&s.args[k], 1).n > 1;
	}
	CHECK_INT(bad, 0);
	signature_read(&s, text("a:s9;s4"));
	CHECK(s.args[0].kind == SIGNATURE_OTHER && s.args[0].name.n == 1 && s.result.kind == SIGNATURE_SIGNED);
}

int main(void)
{
	test_read();
	test_numbers();
	test_damage();
	return TAP_DONE();
}
