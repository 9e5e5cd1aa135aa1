/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tap.h"
#include <exectrace/base/cleanup.h>
#include <exectrace/pick/action/action.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const struct template_values values = {.pid = 4711,
                                              .n = 3,
                                              .comm = "prog",
                                              .rule = 2,
                                              .time = UINT64_C(1700000000) * 1000000000u + 999999999u};

static const struct {
	const char *text;
	const char *want;
} cases[] = {
	{"", ""},
	{"plain", "plain"},
	{"{pid}", "4711"},
	{"{n}", "3"},
	{"{comm}", "prog"},
	{"{rule}", "2"},
	{"{time}", "20231114-221320"},
	{"a{pid}b{n}c", "a4711b3c"},
	{"{pid}{pid}", "47114711"},
	{"log.{pid}", "log.4711"},
	{"{", "{"},
	{"}", "}"},
	{"{}", "{}"},
	{"{pid", "{pid"},
	{"pid}", "pid}"},
	{"{ pid}", "{ pid}"},
	{"{PID}", "{PID}"},
	{"{pids}", "{pids}"},
	{"{pi}", "{pi}"},
	{"{unknown}", "{unknown}"},
	{"{{pid}}", "{4711}"},
	{"{{pid}", "{4711"},
	{"{a{n}", "{a3"},
	{"${pid} $(x) `y`", "$4711 $(x) `y`"},
	{"awk '{print $1}' {n}", "awk '{print $1}' 3"},
	{"100%d %s {n}", "100%d %s 3"},
	{"\xff{n}\xfe", "\xff"
                        "3\xfe"},
};

static void expands(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cleanup_buf struct buf out = BUF_INIT;

		buf_puts(&out, "<");
		CHECK_INT(template_expand(&out, cases[i].text, &values), 0);
		CHECK_STR(out.data + 1, cases[i].want);
	}
}

static void comm_is(const char *comm, const char *want)
{
	struct template_values v = values;
	cleanup_buf struct buf out = BUF_INIT;

	v.comm = comm;
	buf_puts(&out, "<");
	CHECK_INT(template_expand(&out, "{comm}", &v), 0);
	CHECK_STR(out.data + 1, want);
}

/* A name may be anything; as a part of a file name it must not lead elsewhere. */
static void comms(void)
{
	comm_is("cc1", "cc1");
	comm_is("a b", "a_b");
	comm_is("../../etc/passwd", "_._.._etc_passwd");
	comm_is("new\nline\t", "new_line_");
	comm_is("", "_");
	comm_is(NULL, "_");
	comm_is("{pid}", "_pid_");
	comm_is("|id >pwned #", "_id__pwned__");
	comm_is("!id", "_id");
	comm_is("$(id)`id`;'\"", "__id__id____");
	comm_is("-o", "_o");
	comm_is("[kworker/0:1]", "_kworker_0_1_");
	comm_is("\xc3\xa4", "__");
}

/* The user's own path stays as it is, but is never taken for an option or a command. */
static void dir_is(const char *dir, const char *want)
{
	struct template_values v = values;
	cleanup_buf struct buf out = BUF_INIT;

	v.dir = dir;
	CHECK_INT(template_expand(&out, "{dir}/x", &v), 0);
	CHECK_STR(out.data, want);
}

static void dirs(void)
{
	dir_is(NULL, "{dir}/x");
	dir_is("rec", "rec/x");
	dir_is("/a b/c", "/a b/c/x");
	dir_is("-rec", "./-rec/x");
	dir_is("|id", "./|id/x");
	CHECK(template_in_dir("{dir}/trace-{n}.xtr"));
	CHECK(!template_in_dir("{dir}/a/b") && !template_in_dir("trace.xtr") && !template_in_dir("a{dir}/b"));
}

static void host(void)
{
	cleanup_buf struct buf out = BUF_INIT;
	char name[256] = "";

	CHECK_INT(gethostname(name, sizeof(name) - 1), 0);
	CHECK_INT(template_expand(&out, "{host}", &values), 0);
	CHECK_STR(out.data, name);
}

/* In the user's own time. */
static void zone(void)
{
	cleanup_buf struct buf out = BUF_INIT;

	setenv("TZ", "EET-3", 1);
	tzset();
	CHECK_INT(template_expand(&out, "{time}", &values), 0);
	CHECK_STR(out.data, "20231115-011320");
}

static void vectors(void)
{
	cleanup_strv struct strv from = STRV_INIT, to = STRV_INIT;

	strv_push(&from, "strace");
	strv_push(&from, "");
	strv_push(&from, "-p{pid}");
	strv_push(&to, "first");
	CHECK_INT(template_expand_strv(&to, &from, &values), 0);
	CHECK_INT(to.n, 4);
	CHECK(strcmp(to.items[0], "first") == 0 && strcmp(to.items[1], "strace") == 0);
	CHECK(strcmp(to.items[2], "") == 0 && strcmp(to.items[3], "-p4711") == 0);
	CHECK(!to.items[4]);
}

int main(void)
{
	setenv("TZ", "UTC0", 1);
	tzset();
	expands();
	comms();
	dirs();
	host();
	zone();
	vectors();
	return TAP_DONE();
}
