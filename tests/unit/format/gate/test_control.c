/* SPDX-License-Identifier: GPL-2.0-or-later */
/* KFI's language, and options: what they say, and what is wrong with them. */
#include "tap.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/format/gate/config.h>
#include <unistd.h>

/* The configuration of KFI's documentation, as it is. */
static const char usual[] = "# two\nnew\nbegin\n"
			    "  trigger start entry start_kernel\n"
			    "  trigger stop exit do_initcalls # then\n"
			    "  filter mintime 500\n"
			    "  filter maxtime 0\n"
			    "  filter noints\n"
			    "  filter funclist do_fork, 0xc0012340 sys_* fend\n"
			    "  logentries 4000\n  autorepeat\nend\n";

static void test_language(void)
{
	struct control_config c = {0};
	cleanup_buf struct buf err = BUF_INIT;

	CHECK_INT(control_parse(&c, usual, strlen(usual), &err), 0);
	CHECK(c.start.when == CONTROL_ENTRY && c.stop.when == CONTROL_EXIT);
	CHECK_STR(c.start.function, "start_kernel");
	CHECK_STR(c.stop.function, "do_initcalls");
	CHECK_INT((long long)c.min_time, 500000);
	CHECK_INT((long long)c.max_time, 0);
	CHECK(c.irq == CONTROL_IRQ_NO && c.autorepeat);
	CHECK_INT((long long)c.functions.n, 3);
	CHECK_STR(c.functions.items[1], "0xc0012340");
	CHECK_INT((long long)c.entries, 4000);
	CHECK(!control_is_all(&c) && control_has_times(&c) && control_has_lists(&c));
	control_release(&c);
	CHECK(control_is_all(&c) && !control_has_times(&c) && !control_has_lists(&c));
}

/* Without begin and end, on one line, a list without its fend, the older name of logentries, units. */
static void test_short_forms(void)
{
	static const char text[] = "trigger start time 5ms filter funclist a b filter onlyints logsize 7\n"
				   "trigger stop time 2s filter maxtime 900ns";
	struct control_config c = {0};
	cleanup_buf struct buf err = BUF_INIT;

	CHECK_INT(control_parse(&c, text, strlen(text), &err), 0);
	CHECK(c.start.when == CONTROL_TIME && c.start.time == 5000000);
	CHECK(c.stop.when == CONTROL_TIME && c.stop.time == 2000000000);
	CHECK_INT((long long)c.functions.n, 2);
	CHECK(c.irq == CONTROL_IRQ_ONLY && c.entries == 7 && c.max_time == 900);
	control_release(&c);
	CHECK_INT(control_parse(&c, "", 0, &err), 0);
	CHECK_INT(control_parse(&c, "begin end", 9, &err), 0);
	CHECK_INT(control_parse(&c, "\xef\xbb\xbf begin\r\nend\r\n", 16, &err), 0);
	CHECK(control_is_all(&c));
}

static void refuse(const char *text, const char *want)
{
	struct control_config c = {0};
	cleanup_buf struct buf err = BUF_INIT;

	CHECK_INT(control_parse(&c, text, strlen(text), &err), -EINVAL);
	CHECK_STR(err.data, want);
	control_release(&c);
}

static void test_errors(void)
{
	refuse("begin\n  trigger start entry f\n  filter mintme 5 # x\nend\n",
	       "line 3: 'filter mintme 5': a filter is mintime, maxtime, noints, onlyints or funclist");
	refuse("begin\ntrigger start entry f\n\ntrigger start exit f\nend",
	       "line 4: 'trigger start exit f': there is such a trigger already");
	refuse("begin\ntrigger stop time 5x\nend",
	       "line 2: 'trigger stop time 5x': a time is needed: 500, 500us, 20ms, 3s");
	refuse("trigger stop\n\n\n", "line 1: 'trigger stop': a trigger is at an entry, an exit or a time");
	refuse("trigger go entry f", "line 1: 'trigger go entry f': a trigger is a start or a stop");
	refuse("trigger start entry", "line 1: 'trigger start entry': the function is missing");
	refuse("begin\nautorepeat\n", "line 2: 'autorepeat': the end is missing");
	refuse("autorepeat end", "line 1: 'autorepeat end': there was no begin");
	refuse("begin\nend\nautorepeat", "line 3: 'autorepeat': nothing may follow the end");
	refuse("filter funclist fend", "line 1: 'filter funclist fend': no function is named");
	refuse("watch stack 100", "line 1: 'watch stack 100': stacks are not watched");
	refuse("logentries many", "line 1: 'logentries many': a number is needed");
	refuse("begin\n trigger start entry\n trigger stop exit f\nend",
	       "line 2: 'trigger start entry': the function is missing");
	refuse("begin\n trigger start\n trigger stop exit f\nend",
	       "line 2: 'trigger start': a trigger is at an entry, an exit or a time");
	refuse("begin\n filter mintime\n filter noints\nend",
	       "line 2: 'filter mintime': a time is needed: 500, 500us, 20ms, 3s");
	refuse("begin\n filter\nend", "line 2: 'filter': a filter is mintime, maxtime, noints, onlyints or funclist");
	refuse("begin\n logentries\nend", "line 2: 'logentries': a number is needed");
	refuse("\xef\xbb\xbf begin\nfoo", "line 2: 'foo': not understood");
	refuse("filter mintime 10 filter maxtime 9", "mintime is more than maxtime");
	refuse("filter mintime 99999999999999999999",
	       "line 1: 'filter mintime 99999999999999999999': a time is needed: 500, 500us, 20ms, 3s");
}

static void test_file(void)
{
	struct control_config c = {0};
	cleanup_buf struct buf err = BUF_INIT;
	char name[] = "/tmp/test_control.XXXXXX", want[200];
	int fd = mkstemp(name);

	CHECK(write(fd, "autorepeat\nfilter x", 19) == 19);
	CHECK_INT(control_read(&c, name, &err), -EINVAL);
	(void)snprintf(want, sizeof(want),
	               "%s: line 2: 'filter x': a filter is mintime, maxtime, noints, onlyints or funclist", name);
	CHECK_STR(err.data, want);
	buf_reset(&err, 0);
	CHECK(ftruncate(fd, 10) == 0);
	CHECK_INT(control_set(&c, "config", name, &err), 0);
	CHECK(c.autorepeat && err.len == 0);
	CHECK_INT(control_read(&c, "/nowhere/at/all", &err), -ENOENT);
	CHECK_STR(err.data, "/nowhere/at/all: No such file or directory");
	close(fd);
	unlink(name);
}

static void test_options(void)
{
	struct control_config c = {0};
	cleanup_buf struct buf err = BUF_INIT;

	CHECK_INT(control_set(&c, "from", "entry:do_fork", &err), 0);
	CHECK_INT(control_set(&c, "to", "exit:do_fork", &err), 0);
	CHECK(c.start.when == CONTROL_ENTRY && c.stop.when == CONTROL_EXIT);
	CHECK_STR(c.stop.function, "do_fork");
	CHECK_INT(control_set(&c, "to", "time:3s", &err), 0);
	CHECK(c.stop.when == CONTROL_TIME && c.stop.time == 3000000000 && !c.stop.function);
	CHECK_INT(control_set(&c, "autorepeat", NULL, &err), 0);
	CHECK_INT(control_set(&c, "min-time", "20", &err), 0);
	CHECK_INT(control_set(&c, "max-time", "1ms", &err), 0);
	CHECK(c.autorepeat && c.min_time == 20000 && c.max_time == 1000000);
	CHECK_INT(control_set(&c, "irq", "only", &err), 0);
	CHECK_INT(control_set(&c, "function", "a,b", &err), 0);
	CHECK_INT(control_set(&c, "filter", "c d", &err), 0);
	CHECK_INT((long long)c.functions.n, 4);
	CHECK_INT(control_set(&c, "exclude", "b", &err), 0);
	CHECK_INT(control_set(&c, "module", "ext4", &err), 0);
	CHECK_INT(control_set(&c, "task", "^(ba)?sh$", &err), 0);
	CHECK_INT(control_set(&c, "entries", "12", &err), 0);
	CHECK(c.irq == CONTROL_IRQ_ONLY && c.exclude.n == 1 && c.modules.n == 1 && c.entries == 12);
	CHECK_INT(control_set(&c, "nonsense", "1", &err), -ENOENT);
	CHECK_INT((long long)err.len, 0);
	control_release(&c);
}

static void test_wrong_options(void)
{
	static const char *const wrong[][3] = {
		{"from", "do_fork", "'do_fork': is not entry:FUNCTION, exit:FUNCTION or time:TIME"},
		{"from", "entry:", "'entry:': is not entry:FUNCTION, exit:FUNCTION or time:TIME"},
		{"to", "time:soon", "'time:soon': is no time: 500us, 20ms, 3s"},
		{"min-time", "-1", "'-1': is no time: 500us, 20ms, 3s"},
		{"irq", "yes", "'yes': is not only or no"},
		{"function", ",", "',': names nothing"},
		{"entries", "x", "'x': is no number"},
		{"task", "[z-a]", "'[z-a]': Invalid range end"},
	};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct control_config c = {0};
		cleanup_buf struct buf err = BUF_INIT;

		CHECK_INT(control_set(&c, wrong[i][0], wrong[i][1], &err), -EINVAL);
		CHECK_STR(err.data, wrong[i][2]);
		control_release(&c);
	}
}

static unsigned ask(const char *option, const char *value, const char *name, const char *module)
{
	struct control_config c = {0};
	cleanup_buf struct buf err = BUF_INIT;
	unsigned what;

	(void)control_set(&c, option, value, &err);
	what = control_function(&c, name, module, 0x1000, 0x100);
	control_release(&c);
	return what;
}

static void test_functions(void)
{
	CHECK_INT(ask("function", "do_fork,f", "f", NULL), CONTROL_WANTED);
	CHECK_INT(ask("function", "do_fork", "f", NULL), 0);
	CHECK_INT(ask("function", "sys_*", "sys_read", NULL), CONTROL_WANTED);
	CHECK_INT(ask("function", "f", "f.isra.0", NULL), CONTROL_WANTED);
	CHECK_INT(ask("function", "f.part.1", "f.isra.0", NULL), 0);
	CHECK_INT(ask("function", "0x1000", NULL, NULL), CONTROL_WANTED);
	CHECK_INT(ask("function", "0x10ff", NULL, NULL), CONTROL_WANTED);
	CHECK_INT(ask("function", "0x1100", "f", NULL), 0);
	CHECK_INT(ask("exclude", "f", "f", NULL), 0);
	CHECK_INT(ask("exclude", "f", "g", NULL), CONTROL_WANTED);
	CHECK_INT(ask("module", "ext4", "f", "[ext4]"), CONTROL_WANTED);
	CHECK_INT(ask("module", "[ext4]", "f", "[ext4]"), CONTROL_WANTED);
	CHECK_INT(ask("module", "ls", "f", "/bin/ls"), CONTROL_WANTED);
	CHECK_INT(ask("module", "/bin/*", "f", "/bin/ls"), CONTROL_WANTED);
	CHECK_INT(ask("module", "ext4", "f", NULL), 0);
	CHECK_INT(ask("from", "entry:f", "f", NULL), CONTROL_WANTED | CONTROL_START);
	CHECK_INT(ask("to", "exit:f", "f", NULL), CONTROL_WANTED | CONTROL_STOP);
	CHECK_INT(ask("to", "time:5", "f", NULL), CONTROL_WANTED);
}

int main(void)
{
	test_language();
	test_short_forms();
	test_errors();
	test_file();
	test_options();
	test_wrong_options();
	test_functions();
	return TAP_DONE();
}
