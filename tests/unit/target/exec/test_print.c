/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/target/exec/print.h>
#include <signal.h>
#include <stdlib.h>

static char *end_text(bool known, int wait_status, bool ended)
{
	struct exec_end end = {.known = known, .wait_status = wait_status, .ended = ended};
	struct buf out = BUF_INIT;

	exec_print_end(&out, &end);
	return buf_steal(&out);
}

/* How wait(2) tells of a signal, and of a core file. */
#define KILLED(sig) (sig)
#define DUMPED(sig) ((sig) | 0x80)
#define EXITED(code) ((code) << 8)

static void ends(void)
{
	static const struct {
		bool known, ended;
		int status;
		const char *text;
	} cases[] = {
		{false, false, 0, "running"},
		{false, true, 0, "?"},
		{true, true, EXITED(0), "exit 0"},
		{true, true, EXITED(255), "exit 255"},
		{true, true, KILLED(SIGKILL), "SIGKILL"},
		{true, true, DUMPED(SIGSEGV), "SIGSEGV (core)"},
		{true, true, KILLED(34), "SIGRTMIN"},
		{true, true, KILLED(37), "SIGRTMIN+3"},
		{true, true, KILLED(64), "SIGRTMIN+30"},
		{true, true, DUMPED(32), "SIG32 (core)"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cleanup_free char *got = end_text(cases[i].known, cases[i].status, cases[i].ended);

		CHECK_STR(got, cases[i].text);
	}
}

static struct exec_record record(void)
{
	struct exec_record rec = {
		.pid = 4711,
		.tid = 4712,
		.ppid = 4709,
		.uid = 1000,
		.when = 5000000000,
		.when_wall = 1700000000000000042,
		.depth = 2,
		.have = EXEC_ARGV | EXEC_TARGET | EXEC_CWD | EXEC_IDS | EXEC_USER | EXEC_ANCESTORS,
		.path = strdup("./prog"),
		.exe = strdup("/tmp/prog"),
		.cwd = strdup("/tmp"),
	};

	strv_push(&rec.argv, "./prog");
	strv_push(&rec.argv, "-l");
	strv_push(&rec.argv, "a b");
	return rec;
}

static char *cmdline(const struct exec_record *rec, size_t max)
{
	struct buf out = BUF_INIT;

	exec_print_cmdline(&out, rec, max);
	return buf_steal(&out);
}

static void check_cmdline(const struct exec_record *rec, size_t max, const char *want)
{
	cleanup_free char *got = cmdline(rec, max);

	CHECK_STR(got, want);
}

static void cmdlines(void)
{
	struct exec_record rec = record(), empty = {0};

	check_cmdline(&rec, 0, "./prog -l 'a b'");
	check_cmdline(&rec, 15, "./prog -l 'a b'");
	check_cmdline(&rec, 14, "./prog -l '...");
	check_cmdline(&rec, 6, "./p...");
	check_cmdline(&rec, 3, "...");
	check_cmdline(&rec, 1, ".");
	strv_release(&rec.argv);
	check_cmdline(&rec, 0, "./prog");
	strv_push(&rec.argv, "\xc3\xbc\xc3\xbc\xc3\xbc");
	check_cmdline(&rec, 0, "'\xc3\xbc\xc3\xbc\xc3\xbc'");
	/* Not in the middle of a character. */
	check_cmdline(&rec, 6, "'\xc3\xbc...");
	check_cmdline(&rec, 7, "'\xc3\xbc...");
	check_cmdline(&empty, 0, "?");
	exec_record_release(&rec);
}

static void check_text(const struct exec_record *rec, const struct exec_end *end, const char *want)
{
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_INT(exec_print_text(&out, rec, end), 0);
	CHECK_STR(out.data, want);
}

static void texts(void)
{
	struct exec_record rec = record(), empty = {.tid = 9};
	struct exec_end end = {.known = true, .ended = true, .when = rec.when + 1520000}, running = {0};

	check_text(&rec, &end, "[4711] parent 4709 depth 2, exit 0, 1.52ms, in /tmp: ./prog -l 'a b'");
	end.usage = (struct exec_usage){.cpu = true, .user = 1000000, .system = 100000, .peak = 3355443};
	check_text(&rec, &end,
	           "[4711] parent 4709 depth 2, exit 0, 1.52ms, cpu 1.10ms, 3.2M, in /tmp: ./prog -l 'a b'");
	end.usage = (struct exec_usage){0};
	end.when = 0;
	check_text(&rec, &end, "[4711] parent 4709 depth 2, exit 0, in /tmp: ./prog -l 'a b'");
	check_text(&rec, &running, "[4711] parent 4709 depth 2, running, in /tmp: ./prog -l 'a b'");
	rec.error = EXEC_IDS | EXEC_ANCESTORS;
	check_text(&rec, &running, "[4711] parent ? depth ?, running, in /tmp: ./prog -l 'a b'");
	check_text(&empty, &running, "[9] parent ? depth ?, running, in ?: ?");
	free(rec.cwd);
	rec.cwd = strdup("/tmp/two\nlines");
	check_text(&rec, &running, "[4711] parent ? depth ?, running, in $'/tmp/two\\nlines': ./prog -l 'a b'");
	exec_record_release(&rec);
}

static void check_json(const struct exec_record *rec, const struct exec_end *end, const char *want)
{
	cleanup_buf struct buf out = BUF_INIT;

	buf_putc(&out, '>');
	CHECK_INT(exec_print_json(&out, rec, end), 0);
	CHECK_STR(out.data + 1, want);
}

/* How the JSON of record() begins, as far as it does not depend on its end. */
#define HEAD                                                                                              \
	"{\"pid\":4711,\"ppid\":4709,\"depth\":2,\"uid\":1000,\"time\":1700000000.000000042,"             \
	"\"argv\":[\"./prog\",\"-l\",\"a b\"],\"path\":\"./prog\",\"exe\":\"/tmp/prog\",\"interp\":null," \
	"\"cwd\":\"/tmp\","

static void jsons(void)
{
	struct exec_record rec = record(), empty = {.tid = 9};
	struct exec_end end = {.known = true, .ended = true, .when = rec.when + 1020000000}, running = {0};

	check_json(&rec, &end,
	           HEAD "\"status\":0,\"signal\":null,\"core\":false,\"duration\":1.020000000,\"ended\":true}");
	end.usage = (struct exec_usage){true, 1500000000, 7, 32 << 20, true, 4096, 0};
	check_json(&rec, &end,
	           HEAD "\"status\":0,\"signal\":null,\"core\":false,\"duration\":1.020000000,\"ended\":true,"
	                "\"cpu_user\":1.500000000,\"cpu_system\":0.000000007,\"peak\":33554432,\"read\":4096,"
	                "\"written\":0}");
	end.usage = (struct exec_usage){0};
	end.wait_status = DUMPED(SIGABRT);
	check_json(&rec, &end,
	           HEAD
	           "\"status\":null,\"signal\":\"SIGABRT\",\"core\":true,\"duration\":1.020000000,\"ended\":true}");
	rec.have |= EXEC_ENV;
	strv_push(&rec.env, "A=\"\xff");
	strv_push(&rec.env, "B=");
	check_json(&rec, &running,
	           HEAD "\"status\":null,\"signal\":null,\"core\":null,\"duration\":null,\"ended\":false,"
	                "\"env\":[\"A=\\\"\\udcff\",\"B=\"]}");
	check_json(&empty, &running,
	           "{\"pid\":9,\"ppid\":null,\"depth\":null,\"uid\":null,\"time\":null,\"argv\":null,\"path\":null,"
	           "\"exe\":null,\"interp\":null,\"cwd\":null,\"status\":null,\"signal\":null,\"core\":null,"
	           "\"duration\":null,\"ended\":false}");
	exec_record_release(&rec);
}

int main(void)
{
	ends();
	cmdlines();
	texts();
	jsons();
	return TAP_DONE();
}
