/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/record/guest/qemu/state/options.h>

static void test_all(void)
{
	const char *const words[] = {"out=a b",       "clock=tsc",          "user=off",   "stats=on",
	                             "ring=8M",       "panic=/x",           "filter=f,g", "autorepeat=on",
	                             "registers=off", "dir=66:12345678901", NULL};
	cleanup_buf struct buf err = BUF_INIT;
	struct plugin_options o;

	CHECK_INT(plugin_options_parse(&o, 0, words, &err), 0);
	CHECK_STR(o.out, "exectrace-guest.xtr");
	CHECK(o.clock == PLUGIN_CLOCK_INSN && o.user && !o.stats && !o.ring && !o.panic);
	CHECK(control_is_all(&o.control) && o.registers == PLUGIN_REGISTERS_ON);
	CHECK(!o.dir.known);
	CHECK_INT(plugin_options_parse(&o, 10, words, &err), 0);
	CHECK(o.dir.known && o.dir.device == 66 && o.dir.inode == 12345678901);
	CHECK_STR(o.out, "a b");
	CHECK_STR(o.panic, "/x");
	CHECK(o.clock == PLUGIN_CLOCK_TSC && !o.user && o.stats);
	CHECK_INT((long long)o.ring, 8 << 20);
	CHECK(o.control.functions.n == 2 && o.control.autorepeat && o.registers == PLUGIN_REGISTERS_OFF);
	plugin_options_release(&o);
}

/* Times are the host's. */
static void test_clock(void)
{
	const char *const words[] = {"min-time=5ms", "clock=insn"};
	cleanup_buf struct buf err = BUF_INIT;
	struct plugin_options o;

	CHECK_INT(plugin_options_parse(&o, 1, words, &err), 0);
	CHECK(o.clock == PLUGIN_CLOCK_TSC && o.control.min_time == 5000000);
	CHECK_INT(plugin_options_parse(&o, 2, words, &err), -EINVAL);
	CHECK_STR(err.data, "times need clock=tsc");
}

static void test_wrong(void)
{
	static const char *const wrong[] = {"out",      "out=",         "clock=sun", "clock",
	                                    "user=yes", "stats=1",      "=",         "nonsense=1",
	                                    "",         "ring=9",       "ring=100X", "registers=1",
	                                    "ring=1MM", "autorepeat=1", "panic=",    "ring=99999999999G",
	                                    "dir=1",    "dir=1:2x",     "dir=-1:2"};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const char *const words[] = {"user=on", wrong[i], NULL};
		cleanup_buf struct buf err = BUF_INIT, want = BUF_INIT;
		struct plugin_options o;

		CHECK_INT(plugin_options_parse(&o, 2, words, &err), -EINVAL);
		buf_printf(&want, "unknown option or value %s", wrong[i]);
		CHECK_STR(err.data, want.data);
		plugin_options_release(&o);
	}
}

static void test_control(void)
{
	const char *const words[] = {"from=nowhere"};
	cleanup_buf struct buf err = BUF_INIT;
	struct plugin_options o;

	CHECK_INT(plugin_options_parse(&o, 1, words, &err), -EINVAL);
	CHECK_STR(err.data, "'nowhere': is not entry:FUNCTION, exit:FUNCTION or time:TIME");
	plugin_options_release(&o);
}

int main(void)
{
	test_all();
	test_clock();
	test_wrong();
	test_control();
	return TAP_DONE();
}
