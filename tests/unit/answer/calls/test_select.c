/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calls/select.h>

#include "recording_sample.h"
#include "tap.h"

#include <errno.h>

static struct recorded_process process = {.pid = 10};
static struct recorded_thread thread = {.tid = 11, .process = &process, .comm = "worker"};
static struct data_event call = {.type = DATA_SYSCALL,
                                 .syscall = {.tid = 11,
                                             .arch = AUDIT_ARCH_X86_64,
                                             .nr = 257,
                                             .error = true,
                                             .enter = 100,
                                             .duration = 50,
                                             .nextras = 2,
                                             .extras = extra_path,
                                             .result = -2}};
static struct data_event signal_event = {.type = DATA_SIGNAL, .signal = {.tid = 11}};

static bool takes(struct call_select select, const struct data_event *record)
{
	const struct recorded_event event = {.record = record, .time = 150, .thread = &thread};

	return call_selected(&select, &event);
}

#define SELECT(...) ((struct call_select){__VA_ARGS__})

static void test_calls(void)
{
	struct buf why = BUF_INIT;
	struct call_select filter = {.filtered = true};
	uint32_t pids[] = {9, 10}, tids[] = {11}, others[] = {12};

	CHECK(takes(SELECT(.min = 0), &call));
	CHECK(takes(SELECT(.failed = true), &call));
	CHECK(takes(SELECT(.min = 50), &call) && !takes(SELECT(.min = 51), &call));
	CHECK(takes(SELECT(.path = "/etc/pas\"swd"), &call) && !takes(SELECT(.path = "/etc"), &call));
	CHECK(takes(SELECT(.comm = "wor*"), &call) && !takes(SELECT(.comm = "wor"), &call));
	CHECK(takes(SELECT(.pids = pids, .n_pids = 2), &call));
	CHECK(takes(SELECT(.pids = tids, .n_pids = 1), &call));
	CHECK(!takes(SELECT(.pids = others, .n_pids = 1), &call));
	CHECK(takes(SELECT(.timed = true, .from = 150, .until = 200), &call));
	CHECK(takes(SELECT(.timed = true, .from = 0, .until = 101), &call));
	CHECK(!takes(SELECT(.timed = true, .from = 0, .until = 100), &call));
	CHECK(!takes(SELECT(.timed = true, .from = 151, .until = 200), &call));
	CHECK_INT(syscall_filter_parse(&filter.filter, "%file,!openat", &why), 0);
	CHECK(!takes(filter, &call));
	CHECK_INT(syscall_filter_parse(&filter.filter, "openat", &why), 0);
	CHECK(takes(filter, &call));
	call.syscall.arch = 1; /* a machine that has no table */
	CHECK(!takes(filter, &call));
	call.syscall.arch = AUDIT_ARCH_X86_64;
	call.type = DATA_UNFINISHED;
	CHECK(!takes(SELECT(.failed = true), &call));
	call.type = DATA_SYSCALL;
	buf_release(&why);
}

static void test_others(void)
{
	uint32_t pids[] = {10};
	const struct recorded_event nobody = {.record = &signal_event};
	struct call_select all = {0};

	CHECK(takes(SELECT(.pids = pids, .n_pids = 1), &signal_event));
	CHECK(!takes(SELECT(.failed = true), &signal_event));
	CHECK(!takes(SELECT(.min = 1), &signal_event));
	CHECK(!takes(SELECT(.path = "x"), &signal_event));
	CHECK(takes(SELECT(.timed = true, .from = 150, .until = 151), &signal_event));
	CHECK(!takes(SELECT(.timed = true, .from = 100, .until = 150), &signal_event));
	CHECK(!call_selected(&all, &nobody));
}

static void test_pids(void)
{
	static const char *const bad[] = {
		"", ",", "1,", ",1", "1,,2", "x", "-1", " 1", "1x", "4294967296", "99999999999999999999"};
	struct call_select select = {0};

	CHECK_INT(call_select_pids(&select, "1,22"), 0);
	CHECK_INT(call_select_pids(&select, "4294967295"), 0);
	CHECK(select.n_pids == 3 && select.pids[0] == 1 && select.pids[1] == 22 && select.pids[2] == UINT32_MAX);
	for (size_t i = 0; i < COUNT(bad); i++)
		if (call_select_pids(&select, bad[i]) != -EINVAL)
			CHECK_STR(bad[i], "no list of pids");
	call_select_release(&select);
	CHECK(!select.pids);
}

static void test_times(void)
{
	static const char *const bad[] = {"", ",", "1", "2,1", "1,2,3", "x,1", "1,x", "1 ,2", "99999999999999999999,"};
	struct call_select select = {0};

	CHECK_INT(call_select_time(&select, "1.5,2", 1000), 0);
	CHECK(select.timed && select.from == UINT64_C(1500001000) && select.until == UINT64_C(2000001000));
	CHECK_INT(call_select_time(&select, ",0.000000001", 1000), 0);
	CHECK(select.from == 0 && select.until == 1001);
	CHECK_INT(call_select_time(&select, "3,", 0), 0);
	CHECK(select.from == UINT64_C(3000000000) && select.until == UINT64_MAX);
	for (size_t i = 0; i < COUNT(bad); i++)
		if (call_select_time(&select, bad[i], 0) != -EINVAL)
			CHECK_STR(bad[i], "no range of times");
}

static void test_durations(void)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {{"0", 0},
	            {"15ns", 15},
	            {"1.5us", 1500},
	            {"2ms", 2000000},
	            {"3s", 3000000000},
	            {"0.25", 250000000},
	            {"1.5min", 90000000000},
	            {"2h", 7200000000000},
	            {"1.0000000019s", 1000000001}};
	static const char *const bad[] = {"", "ms", "-1", "1m", "1 ms", "1.2.3", "18446744073709551616ns", "1e3"};
	uint64_t ns;

	for (size_t i = 0; i < COUNT(good); i++)
		if (duration_parse(good[i].text, &ns) || ns != good[i].ns)
			CHECK_STR(good[i].text, "understood");
	for (size_t i = 0; i < COUNT(bad); i++)
		if (duration_parse(bad[i], &ns) != -EINVAL)
			CHECK_STR(bad[i], "no duration");
	CHECK_INT(duration_parse("18446744073709551615ns", &ns), 0);
	CHECK(ns == UINT64_MAX);
}

int main(void)
{
	test_calls();
	test_others();
	test_pids();
	test_times();
	test_durations();
	return TAP_DONE();
}
