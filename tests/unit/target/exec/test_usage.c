/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/target/exec/usage.h>

#include "tap.h"
#include <exectrace/base/cleanup.h>

static void cpu(void)
{
	struct exec_usage usage = {0};

	exec_usage_set_cpu(&usage, 0, 30, 10);
	CHECK(usage.cpu && usage.user == 30 && usage.system == 10);
	exec_usage_set_cpu(&usage, 100, 30, 10);
	CHECK(usage.user == 75 && usage.system == 25);
	exec_usage_set_cpu(&usage, 100, 0, 0);
	CHECK(usage.user == 100 && usage.system == 0);
	exec_usage_set_cpu(&usage, 1ull << 62, 0, 1ull << 62); /* years */
	CHECK(usage.user == 0 && usage.system == 1ull << 62);
}

static void completing(void)
{
	struct exec_usage usage = {.io = true, .read = 1, .written = 2};
	const struct exec_usage other = {true, 3, 4, 5, true, 6, 7};

	CHECK(exec_usage_known(&usage));
	exec_usage_complete(&usage, &other);
	CHECK(usage.cpu && usage.user == 3 && usage.system == 4 && usage.peak == 5);
	CHECK(usage.io && usage.read == 1 && usage.written == 2);
	usage = (struct exec_usage){0};
	CHECK(!exec_usage_known(&usage));
	exec_usage_complete(&usage, &usage);
	CHECK(!exec_usage_known(&usage));
}

static void check_size(uint64_t bytes, const char *want)
{
	cleanup_buf struct buf out = BUF_INIT;

	CHECK_INT(exec_usage_print_size(&out, bytes), 0);
	CHECK_STR(out.data, want);
}

static void check(const struct exec_usage *usage, const char *want)
{
	cleanup_buf struct buf out = BUF_INIT;

	buf_putc(&out, '>');
	CHECK_INT(exec_usage_print(&out, usage), 0);
	CHECK_STR(out.data + 1, want);
}

static void printing(void)
{
	struct exec_usage usage = {.cpu = true, .user = 1000000, .system = 100000};

	check_size(0, "0");
	check_size(1023, "1023");
	check_size(1024, "1.0K");
	check_size(3355443, "3.2M");
	check_size(10188, "9.9K");
	check_size(10189, "10K"); /* 9.95 */
	check_size(1048063, "1023K");
	check_size(1048064, "1.0M");
	check_size(32ull << 20, "32M");
	check_size(UINT64_MAX >> 1, "8.0E");
	check(&usage, ", cpu 1.10ms");
	usage.peak = 32ull << 20;
	check(&usage, ", cpu 1.10ms, 32M");
	usage.cpu = false;
	check(&usage, ", 32M");
	usage.peak = 0;
	check(&usage, "");
}

int main(void)
{
	cpu();
	completing();
	printing();
	return TAP_DONE();
}
