/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../../src/plugin/options.h"
#include "tap.h"

static void test_all(void)
{
	const char *const words[] = {"out=a b", "clock=tsc", "user=off", "stats=on", NULL};
	struct plugin_options o;

	CHECK(plugin_options_parse(&o, 0, words) == NULL);
	CHECK_STR(o.out, "exectrace-guest.xtr");
	CHECK(o.clock == PLUGIN_CLOCK_INSN && o.user && !o.stats);
	CHECK(plugin_options_parse(&o, 4, words) == NULL);
	CHECK_STR(o.out, "a b");
	CHECK(o.clock == PLUGIN_CLOCK_TSC && !o.user && o.stats);
}

static void test_wrong(void)
{
	static const char *const wrong[] = {"out",     "out=",       "clock=sun", "clock", "user=yes",
	                                    "stats=1", "nonsense=1", "=",         ""};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const char *const words[] = {"user=on", wrong[i], NULL};
		struct plugin_options o;

		CHECK_STR(plugin_options_parse(&o, 2, words), wrong[i]);
	}
}

int main(void)
{
	test_all();
	test_wrong();
	return TAP_DONE();
}
